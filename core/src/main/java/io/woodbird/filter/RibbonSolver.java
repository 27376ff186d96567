package io.woodbird.filter;

import io.woodbird.layout.Ribbon;
import io.woodbird.layout.RibbonColumns;
import java.util.Arrays;

/** Solves the equations of one shard of a ribbon filter. Used again from shard to shard. */
final class RibbonSolver implements ShardSolver {
  private static final int LAST = Ribbon.LAYERS - 1;

  /** What a million keys and more take: slots for each, and bits of thresholds for each slot. */
  private static final double SLOTS = 1.0006;

  private static final double THRESHOLD_BITS = 2.0 / Ribbon.BUCKET;

  private final double fpp;
  private final int shardBits;
  private final RibbonLayer[] layers = new RibbonLayer[Ribbon.LAYERS];
  private long[] bumped = new long[0];

  RibbonSolver(double fpp, int shardBits) {
    this.fpp = fpp;
    this.shardBits = shardBits;
    for (int layer = 0; layer < layers.length; layer++) {
      layers[layer] = new RibbonLayer(layer < LAST);
    }
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    boolean limited = wordLimit != Long.MAX_VALUE;
    // Where ternary equations go must be known before it is known how many slots there are.
    RibbonColumns wanted =
        limited
            ? RibbonColumns.forBits(wordLimit * 64.0 / count / SLOTS - THRESHOLD_BITS, count)
            : RibbonColumns.forFpp(fpp, count);
    int salt = fill(sorted, count, wanted.ternary() ? wanted.share() : 0);
    RibbonColumns columns =
        limited ? columnsWithin(wordLimit, wanted.ternary() ? count : 0) : wanted;
    if (!settle(columns, wordLimit)) {
      columns = limited ? columnsWithin(wordLimit, 0) : RibbonColumns.forFpp(fpp, 0);
      settle(columns, wordLimit);
    }
    return write(count, columns, salt);
  }

  /** Puts the keys into layer after layer and returns the salt of the last. */
  private int fill(long[] sorted, int count, double ternaryShare) {
    long[] keys = new long[count];
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inFirstLayer(sorted[i], shardBits);
    }
    int left = count;
    for (int layer = 0; layer < LAST; layer++) {
      if (layer > 0) {
        toNextLayer(keys, left, 0);
      }
      int buckets = left < Ribbon.FEW ? 0 : (int) (left * Ribbon.LOAD / Ribbon.BUCKET);
      layers[layer].clear(buckets * Ribbon.BUCKET / Ribbon.SEGMENT, ternaryShare);
      if (buckets > 0) {
        if (bumped.length < left) {
          bumped = new long[left];
        }
        left = layers[layer].fill(keys, left, bumped);
        keys = Arrays.copyOf(bumped, left);
      }
    }
    return fillLast(keys, left, ternaryShare);
  }

  /** Moves keys to the next layer and sorts them there. */
  private static void toNextLayer(long[] keys, int count, int salt) {
    for (int i = 0; i < count; i++) {
      keys[i] = Ribbon.inNextLayer(keys[i], salt);
    }
    HashSort.sortDistinct(keys, 0, count, 0, new long[count]);
  }

  /** Fills the last layer, which has room for all; another salt and more room if it has not. */
  private int fillLast(long[] keys, int count, double ternaryShare) {
    RibbonLayer layer = layers[LAST];
    if (count == 0) {
      layer.clear(0, 0);
      return 0;
    }
    int least = (int) Math.ceil((count * 1.03 + 16) / Ribbon.SEGMENT);
    for (int salt = 0; salt < 10_000; salt++) {
      long[] salted = Arrays.copyOf(keys, count);
      toNextLayer(salted, count, salt);
      layer.clear(least + salt / 2, ternaryShare);
      if (layer.fillWithoutBumping(salted, count)) {
        return salt;
      }
    }
    throw new IllegalStateException("a ribbon of " + count + " keys could not be solved");
  }

  /** The columns that the segments, now that their number is known, may have. */
  private RibbonColumns columnsWithin(long wordLimit, int count) {
    long segments = 0;
    long room = wordLimit;
    for (RibbonLayer layer : layers) {
      segments += layer.segments();
      room -= layer.thresholdWords();
    }
    return RibbonColumns.forBits(segments == 0 ? 0 : (double) room / segments, count);
  }

  /**
   * Decides how many segments of each layer are first ones: the share that is wanted, rounded
   * carefully, and in layer 0 as many or as few as is allowed. Buckets bump by chance, so a share
   * of the segments is not quite the same share of the questions. Returns false if it can't be
   * done.
   */
  private boolean settle(RibbonColumns columns, long wordLimit) {
    boolean limited = wordLimit != Long.MAX_VALUE;
    boolean asMany = columns.firstAreSmaller() != limited;
    for (RibbonLayer layer : layers) {
      double exact = columns.share() * layer.starts() / Ribbon.SEGMENT;
      double rounded = asMany ? Math.floor(exact) : Math.ceil(exact);
      layer.setFirst((int) Math.min(most(columns, layer), rounded));
    }
    RibbonLayer layer = layers[0];
    if (columns.share() > 0 && layer.segments() > 0) {
      int fits = asMany ? 0 : most(columns, layer);
      int fails = asMany ? most(columns, layer) + 1 : -1;
      while (Math.abs(fails - fits) > 1) {
        int middle = (fits + fails) >> 1;
        layer.setFirst(middle);
        if (limited ? words(columns) <= wordLimit : fpp(columns) <= fpp) {
          fits = middle;
        } else {
          fails = middle;
        }
      }
      layer.setFirst(fits);
    }
    return limited ? words(columns) <= wordLimit : fpp(columns) <= fpp;
  }

  /** How many segments of a layer may be first ones. */
  private static int most(RibbonColumns columns, RibbonLayer layer) {
    return columns.ternary() ? layer.ternarySegments() : layer.segments();
  }

  private Shard write(int keys, RibbonColumns columns, int salt) {
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    entry[ShardTable.SHAPE] = ShardTable.pack(columns.columns(), salt);
    entry[ShardTable.FIRST] = ShardTable.pack(columns.firstColumns(), columns.ternary() ? 1 : 0);
    entry[ShardTable.KEYS] = keys;
    long[] words = new long[Math.toIntExact(words(columns))];
    int at = 0;
    for (int i = 0; i < Ribbon.LAYERS; i++) {
      entry[ShardTable.DIMENSIONS + i] = ShardTable.pack(layers[i].segments(), layers[i].first());
      at = layers[i].write(columns, words, at);
    }
    return new Shard(entry, words, fpp(columns));
  }

  private long words(RibbonColumns columns) {
    long words = 0;
    for (RibbonLayer layer : layers) {
      words += layer.words(columns);
    }
    return words;
  }

  /** The share of foreign keys that pass, from where each may start in which layer. */
  private double fpp(RibbonColumns columns) {
    double passed = 0;
    double reach = 1;
    for (RibbonLayer layer : layers) {
      if (layer.segments() > 0) {
        passed += reach * layer.passes(columns);
        reach *= layer.bumps();
      }
    }
    return passed;
  }
}
