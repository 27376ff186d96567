package io.woodbird.filter;

import io.woodbird.layout.Ribbon;
import java.util.Arrays;

/** Solves the equations of one shard of a ribbon filter. Used again from shard to shard. */
final class RibbonSolver implements ShardSolver {
  /*
   * Banding: equations go into rows by their first slot, as into a hash table. Where a row is taken,
   * its equation is xored to the new one, which then starts later. An equation that vanishes was a
   * combination of earlier ones: consistent (then it holds by itself) or not (then its bucket bumps).
   * Earlier rows are never changed, so taking equations back is clearing their rows. Then the slots are
   * found from the last to the first, all columns at once.
   */
  private static final int LAST = Ribbon.LAYERS - 1;

  private final double fpp;
  private final int shardBits;
  private final Layer[] layers = new Layer[Ribbon.LAYERS];
  private long[] bumped = new long[0];
  private int bumpedCount;
  private int[] placed = new int[1024];

  RibbonSolver(double fpp, int shardBits) {
    this.fpp = fpp;
    this.shardBits = shardBits;
    for (int layer = 0; layer < layers.length; layer++) {
      layers[layer] = new Layer();
    }
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inFirstLayer(sorted[i], shardBits);
    }
    int left = count;
    for (int layer = 0; layer < LAST; layer++) {
      if (layer > 0) {
        toNextLayer(keys, left, 0);
      }
      if (left < Ribbon.FEW) {
        layers[layer].clear(0);
      } else {
        band(layers[layer], keys, left);
        left = bumpedCount;
        keys = Arrays.copyOf(bumped, left);
      }
    }
    int salt = bandLast(keys, left);
    int columns = chooseColumns(wordLimit);
    return write(count, columns, salt);
  }

  /** Moves keys to the next layer and sorts them there. */
  private static void toNextLayer(long[] keys, int count, int salt) {
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inNextLayer(keys[i], salt);
    }
    HashSort.sortDistinct(keys, count, 0, new long[count]);
  }

  /** Fills a layer bucket by bucket and gathers what is bumped. */
  private void band(Layer layer, long[] keys, int count) {
    int buckets = (int) (count * Ribbon.LOAD / Ribbon.BUCKET);
    layer.clear(buckets * Ribbon.BUCKET / Ribbon.SEGMENT);
    int slots = layer.slots();
    if (bumped.length < count) {
      bumped = new long[count];
    }
    bumpedCount = 0;
    int from = 0;
    while (from < count) {
      int bucket = Ribbon.start(keys[from], slots) / Ribbon.BUCKET;
      long end = (bucket + 1L) * Ribbon.BUCKET;
      int to = from + 1;
      while (to < count && Ribbon.start(keys[to], slots) < end) {
        to++;
      }
      int code = fillBucket(layer, keys, from, to);
      layer.thresholds[bucket >>> 5] |= (long) code << (2 * bucket);
      int threshold = Ribbon.threshold(code);
      for (int i = from; i < to && Ribbon.start(keys[i], slots) % Ribbon.BUCKET < threshold; i++) {
        bumped[bumpedCount++] = keys[i];
      }
      from = to;
    }
  }

  /** Puts the keys of a bucket into a layer, last first, and returns the code of its threshold. */
  private int fillBucket(Layer layer, long[] keys, int from, int to) {
    if (placed.length < to - from) {
      placed = new int[to - from];
    }
    for (int i = to - 1; i >= from; i--) {
      int row = layer.add(keys[i]);
      placed[to - 1 - i] = row;
      if (row == Layer.INCONSISTENT) {
        int offset = Ribbon.start(keys[i], layer.slots()) % Ribbon.BUCKET;
        int code = 1;
        while (Ribbon.threshold(code) <= offset) {
          code++;
        }
        takeBack(layer, keys, i + 1, to, Ribbon.threshold(code));
        return code;
      }
    }
    return 0;
  }

  /** Takes the keys from {@code from} on that lie below a threshold out of a layer again. */
  private void takeBack(Layer layer, long[] keys, int from, int to, int threshold) {
    for (int i = from; i < to; i++) {
      if (Ribbon.start(keys[i], layer.slots()) % Ribbon.BUCKET >= threshold) {
        return;
      }
      layer.clearRow(placed[to - 1 - i]);
    }
  }

  /** Fills the last layer, which has room for all; another salt and more room if it has not. */
  private int bandLast(long[] keys, int count) {
    Layer layer = layers[LAST];
    if (count == 0) {
      layer.clear(0);
      return 0;
    }
    int least = (int) Math.ceil((count * 1.03 + 16) / Ribbon.SEGMENT);
    for (int salt = 0; salt < 10_000; salt++) {
      long[] salted = Arrays.copyOf(keys, count);
      toNextLayer(salted, count, salt);
      layer.clear(least + salt / 2);
      int i = count - 1;
      while (i >= 0 && layer.add(salted[i]) != Layer.INCONSISTENT) {
        i--;
      }
      if (i < 0) {
        return salt;
      }
    }
    throw new IllegalStateException("a ribbon of " + count + " keys could not be solved");
  }

  /** Chooses the columns, and how many segments have one less. */
  private int chooseColumns(long wordLimit) {
    int columns = FrozenShape.widthFor(fpp);
    double narrowShare = Math.max(0, Math.min(1, fpp * Math.pow(2, columns) - 1));
    if (wordLimit != Long.MAX_VALUE) {
      long segments = 0;
      long room = wordLimit;
      for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
        segments += layers[layer].segments;
        room -= layer == LAST ? 0 : Ribbon.thresholdWords(layers[layer].segments);
      }
      double average = Math.max(0, Math.min(32.0, segments == 0 ? 0 : (double) room / segments));
      columns = (int) Math.max(1, Math.ceil(average));
      narrowShare = columns - average;
    }
    for (Layer layer : layers) {
      // Rounded up for a limit that must hold, down for an fpp that must hold.
      layer.narrow =
          (int)
              (wordLimit == Long.MAX_VALUE
                  ? Math.floor(narrowShare * layer.starts() / Ribbon.SEGMENT)
                  : Math.ceil(narrowShare * layer.segments));
    }
    if (wordLimit == Long.MAX_VALUE && narrowShare > 0) {
      settleFirstLayer(columns);
    }
    return columns;
  }

  /**
   * Makes the first layer as narrow as the fpp allows. Buckets bump by chance, so where the columns
   * change, a share of the segments is not quite the same share of the questions.
   */
  private void settleFirstLayer(int columns) {
    Layer first = layers[0];
    int fits = 0;
    int tooNarrow = first.segments + 1;
    while (tooNarrow - fits > 1) {
      first.narrow = (fits + tooNarrow) >>> 1;
      if (fpp(columns) <= fpp) {
        fits = first.narrow;
      } else {
        tooNarrow = first.narrow;
      }
    }
    first.narrow = fits;
  }

  private Shard write(int keys, int columns, int salt) {
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    long size = 0;
    for (int i = 0; i < Ribbon.LAYERS; i++) {
      Layer layer = layers[i];
      size += i == LAST ? 0 : Ribbon.thresholdWords(layer.segments);
      size += Ribbon.segmentAt(layer.segments, columns, layer.narrow);
      entry[ShardTable.DIMENSIONS + i] = ShardTable.pack(layer.segments, layer.narrow);
    }
    entry[ShardTable.SHAPE] = ShardTable.pack(columns, salt);
    entry[ShardTable.KEYS] = keys;
    long[] words = new long[Math.toIntExact(size)];
    int at = 0;
    for (int i = 0; i < Ribbon.LAYERS; i++) {
      Layer layer = layers[i];
      int codes = i == LAST ? 0 : Ribbon.thresholdWords(layer.segments);
      System.arraycopy(layer.thresholds, 0, words, at, codes);
      at += codes;
      layer.substitute(columns, words, at);
      at += (int) Ribbon.segmentAt(layer.segments, columns, layer.narrow);
    }
    return new Shard(entry, words, fpp(columns));
  }

  /** The share of foreign keys that pass, from where each may start in which layer. */
  private double fpp(int columns) {
    double passed = 0;
    double reach = 1;
    for (int i = 0; i < Ribbon.LAYERS; i++) {
      Layer layer = layers[i];
      if (layer.segments > 0) {
        double starts = layer.starts();
        long stay = i == LAST ? layer.starts() : layer.stay(layer.starts());
        int narrow = Math.min(layer.starts(), layer.narrow * Ribbon.SEGMENT);
        long stayNarrow = i == LAST ? narrow : layer.stay(narrow);
        passed += reach * (stay + stayNarrow) / starts;
        reach *= 1 - stay / starts;
      }
    }
    return passed * Math.pow(2, -columns);
  }

  /** One layer; row i has the equation whose first slot is i. */
  private static final class Layer {
    /** What {@link #add} returns for an equation that contradicts those before it. */
    static final int INCONSISTENT = -2;

    /** What {@link #add} returns for an equation that follows from those before it. */
    static final int REDUNDANT = -1;

    private int segments;
    private int narrow;
    private long[] rows = new long[0];
    private int[] results = new int[0];
    private long[] thresholds = new long[0];

    void clear(int newSegments) {
      segments = newSegments;
      int codes = Ribbon.thresholdWords(segments);
      if (rows.length < slots()) {
        rows = new long[slots()];
        results = new int[slots()];
        thresholds = new long[codes];
      } else {
        Arrays.fill(rows, 0, slots(), 0);
        Arrays.fill(thresholds, 0, codes, 0);
      }
    }

    int slots() {
      return segments * Ribbon.SEGMENT;
    }

    /** How many slots an equation may start at. */
    int starts() {
      return Math.max(0, slots() - Ribbon.SEGMENT + 1);
    }

    /** How many of the starts up to a limit are not bumped. */
    long stay(int limit) {
      long stay = 0;
      for (int first = 0, bucket = 0; first < limit; first += Ribbon.BUCKET, bucket++) {
        int code = (int) (thresholds[bucket >>> 5] >>> (2 * bucket)) & 3;
        stay += Math.max(0, Math.min(limit - first, Ribbon.BUCKET) - Ribbon.threshold(code));
      }
      return stay;
    }

    /** Adds the equation of a key and returns its row. */
    int add(long key) {
      long bits = Ribbon.bits(key);
      long coefficients = Ribbon.coefficients(bits);
      int result = Ribbon.result(bits);
      int row = Ribbon.start(key, slots());
      while (rows[row] != 0) {
        coefficients ^= rows[row];
        result ^= results[row];
        if (coefficients == 0) {
          return result == 0 ? REDUNDANT : INCONSISTENT;
        }
        int skip = Long.numberOfTrailingZeros(coefficients);
        coefficients >>>= skip;
        row += skip;
      }
      rows[row] = coefficients;
      results[row] = result;
      return row;
    }

    void clearRow(int row) {
      if (row >= 0) {
        rows[row] = 0;
      }
    }

    /** Finds the slots, last first, and writes them segment by segment. */
    void substitute(int columns, long[] words, int at) {
      long[] later = new long[columns]; // per column, the 64 slots after the current one
      for (int segment = segments - 1; segment >= 0; segment--) {
        int first = segment * Ribbon.SEGMENT;
        for (int slot = first + Ribbon.SEGMENT - 1; slot >= first; slot--) {
          long tail = rows[slot] >>> 1;
          int result = rows[slot] == 0 ? 0 : results[slot];
          for (int column = 0; column < columns; column++) {
            long known = later[column];
            long bit = (Long.bitCount(tail & known) ^ result >>> column) & 1;
            later[column] = known << 1 | bit;
          }
        }
        int to = at + (int) Ribbon.segmentAt(segment, columns, narrow);
        System.arraycopy(later, 0, words, to, segment < narrow ? columns - 1 : columns);
      }
    }
  }
}
