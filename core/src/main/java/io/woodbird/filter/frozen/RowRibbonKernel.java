package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Queries a ribbon filter or map of one shard on the heap, in a form that is fast to read. */
final class RowRibbonKernel extends FrozenKernel implements MapKernel {
  /*
   * Here each slot has a byte, its row: a bit of each of the first eight columns. Eight rows, from
   * any slot on, are read as one long. A mask keeps the rows that eight coefficients choose; a
   * table has the masks. The xor of the kept rows is the sum of each of the eight columns. The
   * other columns are stored in planes. A plane is 64 bits, one for each slot of a segment. Each
   * further column has one plane. The ternary column has two: one for the ones and one for the
   * twos.
   *
   * The columns of a map's values come first, so a value is the lowest of the sums.
   *
   * So all columns are tested without a branch between them. Eight columns take no more memory than
   * in a file. At 1 % it is half as much again, which is worth it for a filter that fits into a
   * cache.
   */
  private static final VarHandle EIGHT_ROWS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** For eight coefficients, a mask of the bytes that they choose. */
  private static final long[] CHOSEN = chosenBytes();

  private static final long LOW_BITS = 0x0101010101010101L;

  /** The inverse of 3 modulo 2^32. */
  private static final int THIRD = 0xaaaaaaab;

  /** The number of columns that a row has room for. */
  private static final int ROW = 8;

  /** The sums of all columns are an int. */
  private static final int MOST_COLUMNS = 32;

  private static final int BUCKET_SHIFT = Integer.numberOfTrailingZeros(Ribbon.BUCKET);
  private static final int LAST = Ribbon.LAYERS - 1;

  private final ShardTable table;
  private final int shardBits;
  private final Layer first;

  private RowRibbonKernel(HeapWords words, ShardTable table) {
    this.table = table;
    this.shardBits = table.shardBits();
    this.first = new Layer(words, table.word(0, ShardTable.START), table, 0);
  }

  /** Returns a RowRibbonKernel if it is not too large for these words, else a RibbonKernel. */
  static FrozenKernel of(HeapWords words, ShardTable table) {
    if (!table.hasOneShard() || columns(table) > MOST_COLUMNS) {
      return new RibbonKernel(words, table);
    }
    long size = 0;
    for (int layer = 0; layer <= LAST; layer++) {
      long segments = table.low(0, ShardTable.DIMENSIONS + layer);
      long ternary = isTernary(table) ? table.high(0, ShardTable.DIMENSIONS + layer) : 0;
      size += segments * (Ribbon.SEGMENT / 8 + planes(table)) + 2 * ternary;
    }
    // At most twice the words: one column would become eight, and a forged file may have segments
    // without columns.
    return size <= 2 * words.count() + 1024
        ? new RowRibbonKernel(words, table)
        : new RibbonKernel(words, table);
  }

  private static boolean isTernary(ShardTable table) {
    return table.isTernary(0);
  }

  /** Returns the number of columns, those of values included. */
  private static int columns(ShardTable table) {
    return table.valueBits(0) + table.low(0, ShardTable.SHAPE);
  }

  /** Returns the number of columns that do not fit into rows. */
  private static int planes(ShardTable table) {
    return Math.max(0, columns(table) - ROW);
  }

  @Override
  boolean lacks(long hash) {
    return evaluate(hash) < 0;
  }

  @Override
  public long find(long hash, long absent) {
    long value = evaluate(hash);
    return value < 0 ? absent : value;
  }

  /** Returns the value of a key, 0 in a filter, or -1 if the key is lacking. */
  private long evaluate(long hash) {
    Layer layer = first;
    long inLayer = Ribbon.inFirstLayer(hash, shardBits);
    int start = layer.start(inLayer);
    while (layer.bumps(start)) {
      layer = layer.next;
      if (layer == null) {
        return -1; // No key was left for the last layer.
      }
      inLayer = Ribbon.inNextLayer(inLayer, layer.salt);
      start = layer.start(inLayer);
    }
    return layer.evaluate(start, Ribbon.bits(inLayer));
  }

  @Override
  long touch(long hash) {
    int start = first.start(Ribbon.inFirstLayer(hash, shardBits));
    return first.rows[start] ^ first.rows[start + Ribbon.SEGMENT - 1];
  }

  @Override
  long word(long index) {
    if (index < ShardTable.ENTRY_WORDS) {
      return table.word(0, (int) index);
    }
    int inLayer = (int) index - ShardTable.ENTRY_WORDS;
    Layer layer = first;
    while (layer.next != null && inLayer >= layer.words()) {
      inLayer -= layer.words();
      layer = layer.next;
    }
    return layer.word(inLayer);
  }

  private static final class Layer {
    private final int segments;
    private final int columns;
    private final boolean ternary;
    private final int salt;

    /** The number of first segments, which have the ternary column if there is one. */
    private final int firstSegments;

    /** The binary columns of a first segment. */
    private final int firstColumns;

    private final int thresholdWords;
    private final int segmentWords;
    private final int ternarySlots;

    private final int mask;
    private final int maskChange;
    private final int valueBits;
    private final long valueMask;

    /** Per bucket, the last start in it that is bumped, or -1. */
    private final byte[] lastBumped;

    private final byte[] rows;

    /** Per segment, the columns that do not fit into rows. */
    private final long[] planes;

    private final int stride;

    /** The ones and the twos of each first segment and of the next one, which bands overlap. */
    private final long[] digits;

    private final @Nullable Layer next;

    Layer(HeapWords words, long at, ShardTable table, int layer) {
      segments = table.low(0, ShardTable.DIMENSIONS + layer);
      valueBits = table.valueBits(0);
      valueMask = (1L << valueBits) - 1;
      columns = columns(table);
      ternary = isTernary(table);
      salt = layer == LAST ? table.high(0, ShardTable.SHAPE) : 0;
      firstSegments = table.high(0, ShardTable.DIMENSIONS + layer);
      firstColumns = valueBits + table.low(0, ShardTable.FIRST);
      thresholdWords = layer == LAST ? 0 : Ribbon.thresholdWords(segments);
      segmentWords =
          (int) Ribbon.segmentAt(segments, columns, firstSegments, columns - firstColumns);
      ternarySlots = ternary ? Ribbon.ternarySlots(firstSegments, segments) : 0;
      mask = (int) (((1L << columns) - 1) & ~valueMask);
      maskChange = mask ^ (int) (((1L << firstColumns) - 1) & ~valueMask);
      int slots = segments * Ribbon.SEGMENT;
      // An empty layer gets a segment that bumps every key, so that it needs no special case.
      lastBumped = new byte[Math.max(1, (slots + Ribbon.BUCKET - 1) / Ribbon.BUCKET)];
      rows = new byte[Math.max(slots, Ribbon.SEGMENT)];
      stride = planes(table);
      // One segment more, which bands overlap but never select.
      planes = new long[(segments + 1) * stride];
      digits = new long[ternary ? 2 * Math.max(2, firstSegments + 1) : 0];
      readThresholds(words, at);
      readColumns(words, at + thresholdWords);
      readTernary(words, at + thresholdWords + segmentWords);
      next = layer == LAST ? null : new Layer(words, at + words(), table, layer + 1);
    }

    private void readThresholds(HeapWords words, long at) {
      if (thresholdWords == 0) {
        Arrays.fill(lastBumped, (byte) (segments == 0 ? Ribbon.BUCKET - 1 : -1));
        return;
      }
      for (int bucket = 0; bucket < lastBumped.length; bucket++) {
        int code = (int) (words.get(at + (bucket >>> 5)) >>> (2 * bucket)) & 3;
        lastBumped[bucket] = (byte) (Ribbon.threshold(code) - 1);
      }
    }

    private void readColumns(HeapWords words, long at) {
      long word = at;
      for (int segment = 0; segment < segments; segment++) {
        int count = segment < firstSegments ? firstColumns : columns;
        for (int column = 0; column < count; column++) {
          long plane = words.get(word++);
          if (column < ROW) {
            addToRows(plane, segment * Ribbon.SEGMENT, column);
          } else {
            planes[segment * stride + column - ROW] = plane;
          }
        }
      }
    }

    private void addToRows(long plane, int slot, int shift) {
      for (int i = 0; i < Ribbon.SEGMENT; i += 8) {
        long bits = (CHOSEN[(int) (plane >>> i) & 0xff] & LOW_BITS) << shift;
        EIGHT_ROWS.set(rows, slot + i, (long) EIGHT_ROWS.get(rows, slot + i) | bits);
      }
    }

    private void readTernary(HeapWords words, long at) {
      int five = 0;
      for (int slot = 0; slot < ternarySlots; slot++) {
        if (slot % Ribbon.TERNARY_PER_BYTE == 0) {
          int inWord = slot % Ribbon.TERNARY_PER_WORD / Ribbon.TERNARY_PER_BYTE;
          five = (int) (words.get(at + slot / Ribbon.TERNARY_PER_WORD) >>> (8 * inWord)) & 0xff;
        }
        // Splits the digit into two bits without an unpredictable branch.
        int rest = five / 3;
        int digit = five - 3 * rest;
        digits[2 * (slot >>> 6)] |= (long) (digit & 1) << slot;
        digits[2 * (slot >>> 6) + 1] |= (long) (digit >>> 1) << slot;
        five = rest;
      }
    }

    int words() {
      int ternaryWords = (ternarySlots + Ribbon.TERNARY_PER_WORD - 1) / Ribbon.TERNARY_PER_WORD;
      return thresholdWords + segmentWords + ternaryWords;
    }

    /** Returns the word at an index as it is stored in files. */
    long word(int index) {
      int inSegments = index - thresholdWords;
      if (inSegments < 0) {
        return thresholdWord(index);
      }
      if (inSegments >= segmentWords) {
        return ternaryWord(inSegments - segmentWords);
      }
      int inOthers = inSegments - firstSegments * firstColumns;
      return inOthers < 0
          ? columnWord(inSegments / firstColumns, inSegments % firstColumns)
          : columnWord(firstSegments + inOthers / columns, inOthers % columns);
    }

    private long thresholdWord(int index) {
      long word = 0;
      int end = Math.min(32, lastBumped.length - 32 * index);
      for (int i = 0; i < end; i++) {
        long code = 0;
        while (Ribbon.threshold((int) code) - 1 != lastBumped[32 * index + i]) {
          code++;
        }
        word |= code << (2 * i);
      }
      return word;
    }

    private long columnWord(int segment, int column) {
      if (column >= ROW) {
        return planes[segment * stride + column - ROW];
      }
      long word = 0;
      for (int slot = Ribbon.SEGMENT - 1; slot >= 0; slot--) {
        word = word << 1 | (rows[segment * Ribbon.SEGMENT + slot] >>> column & 1);
      }
      return word;
    }

    private long ternaryWord(int index) {
      long word = 0;
      int five = 0;
      int first = index * Ribbon.TERNARY_PER_WORD;
      for (int slot = first + Ribbon.TERNARY_PER_WORD - 1; slot >= first; slot--) {
        five = 3 * five + (slot < ternarySlots ? digit(slot) : 0);
        if (slot % Ribbon.TERNARY_PER_BYTE == 0) {
          word = word << 8 | five;
          five = 0;
        }
      }
      return word;
    }

    private int digit(int slot) {
      int at = 2 * (slot >>> 6);
      return (int) ((digits[at] >>> slot) & 1) + 2 * (int) ((digits[at + 1] >>> slot) & 1);
    }

    /** Returns the first slot of an equation. */
    int start(long inLayer) {
      return Ribbon.start(inLayer, rows.length);
    }

    boolean bumps(int start) {
      // Not % and /: they take extra instructions for negative numbers.
      return (start & (Ribbon.BUCKET - 1)) <= lastBumped[start >>> BUCKET_SHIFT];
    }

    /** Returns -1 if the equation of a key fails in at least one column, else its value. */
    long evaluate(int start, long bits) {
      long coefficients = Ribbon.coefficients(bits);
      int segment = start >>> 6;
      // -1 if the equation starts in a first segment, else 0. A branch would be unpredictable.
      int first = (segment - firstSegments) >> 31;
      int sums = rowSums(start, coefficients);
      int digitDiffers = 0;
      if (stride != 0 || ternary) {
        // Shifts the coefficients once, instead of the slots of every plane.
        long low = coefficients << start;
        long high = coefficients >>> 1 >>> ~start; // In two steps: Java ignores a shift by 64.
        if (stride != 0) {
          sums |= planeSums(segment * stride, low, high) << ROW;
        }
        if (ternary) {
          int at = 2 * (segment & first);
          int ones = chosen(digits, at, at + 2, low, high);
          int twos = chosen(digits, at + 1, at + 3, low, high) + Ribbon.ternaryResult(bits);
          // The product is small for a multiple of 3. For other sums it has a high bit set.
          digitDiffers = (((ones + 2 * twos) * THIRD) >>> 30) & first;
        }
      }
      int differing = (sums ^ Ribbon.result(bits) << valueBits) & (mask ^ (maskChange & first));
      if ((differing | digitDiffers) != 0) {
        return -1;
      }
      return valueBits == 0 ? 0 : (sums ^ Ribbon.valueMask(bits)) & valueMask;
    }

    /** Returns the sums of the chosen slots in the columns of rows. */
    private int rowSums(int start, long coefficients) {
      // Not a loop: the JIT would unroll it only in part.
      long sums =
          chosenRows(start, coefficients, 0)
              ^ chosenRows(start, coefficients, 8)
              ^ chosenRows(start, coefficients, 16)
              ^ chosenRows(start, coefficients, 24)
              ^ chosenRows(start, coefficients, 32)
              ^ chosenRows(start, coefficients, 40)
              ^ chosenRows(start, coefficients, 48)
              ^ chosenRows(start, coefficients, 56);
      sums ^= sums >>> 32;
      sums ^= sums >>> 16;
      return (int) (sums ^ (sums >>> 8)) & 0xff;
    }

    /** Returns the eight rows from {@code start + offset} on; rows that are not chosen are zero. */
    private long chosenRows(int start, long coefficients, int offset) {
      return (long) EIGHT_ROWS.get(rows, start + offset)
          & CHOSEN[(int) (coefficients >>> offset & 0xff)];
    }

    private int planeSums(int at, long low, long high) {
      int sums = 0;
      for (int i = 0; i < stride; i++) {
        sums |= (chosen(planes, at + i, at + stride + i, low, high) & 1) << i;
      }
      return sums;
    }

    /** Returns how many of the chosen slots of two segments are set in a plane. */
    private static int chosen(long[] planes, int here, int there, long low, long high) {
      return Long.bitCount((planes[here] & low) | (planes[there] & high));
    }
  }

  private static long[] chosenBytes() {
    long[] result = new long[256];
    for (int i = 0; i < result.length; i++) {
      for (int bit = 0; bit < 8; bit++) {
        result[i] |= (i >>> bit & 1) * (0xffL << (8 * bit));
      }
    }
    return result;
  }
}
