package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.words.HeapWords;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Asks a ribbon filter of one shard on the heap, which it holds in a form that is fast to read. */
final class RowRibbonKernel extends FrozenKernel {
  /*
   * A slot is a byte here, its row: a bit of each of the first eight columns. Eight rows are read at
   * once, from any slot on; a mask keeps those that the coefficients choose, which a table has for eight
   * coefficients; and the xor of what is kept are the sums of eight columns. For what rows have no room
   * there are planes of 64 bits, one for each slot of a segment: one for each further column, and two for
   * the ternary column, that of the ones and that of the twos.
   *
   * So all columns are asked without a branch between them. Eight columns take no more memory than in
   * a file, 1 % takes half as much again: well spent on a filter that a cache can hold.
   */
  private static final VarHandle EIGHT_ROWS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** For eight coefficients, the bytes of the rows that they choose. */
  private static final long[] CHOSEN = chosenBytes();

  private static final long LOW_BITS = 0x0101010101010101L;

  /** Times 3 it is 1. */
  private static final int THIRD = 0xaaaaaaab;

  /** Columns in a row. */
  private static final int ROW = 8;

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

  /** Returns the kernel for these words: this one if it fits. */
  static FrozenKernel of(HeapWords words, ShardTable table) {
    if (!table.hasOneShard()) {
      return new RibbonKernel(words, table);
    }
    long size = 0;
    for (int layer = 0; layer <= LAST; layer++) {
      long segments = table.low(0, ShardTable.DIMENSIONS + layer);
      long ternary = isTernary(table) ? table.high(0, ShardTable.DIMENSIONS + layer) : 0;
      size += segments * (Ribbon.SEGMENT / 8 + planes(table)) + 2 * ternary;
    }
    // One column would become eight, and a stranger's segments may have none: not worth it.
    return size <= 2 * words.count() + 1024
        ? new RowRibbonKernel(words, table)
        : new RibbonKernel(words, table);
  }

  private static boolean isTernary(ShardTable table) {
    return table.high(0, ShardTable.FIRST) != 0;
  }

  /** How many columns rows have no room for. */
  private static int planes(ShardTable table) {
    return Math.max(0, table.low(0, ShardTable.SHAPE) - ROW);
  }

  @Override
  boolean lacks(long hash) {
    Layer layer = first;
    long inLayer = Ribbon.inFirstLayer(hash, shardBits);
    int start = layer.start(inLayer);
    while (layer.bumps(start)) {
      layer = layer.next;
      if (layer == null) {
        return true; // No key was left for the last layer.
      }
      inLayer = Ribbon.inNextLayer(inLayer, layer.salt);
      start = layer.start(inLayer);
    }
    return layer.differs(start, Ribbon.bits(inLayer));
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

    /** So many segments at the beginning have so many columns, and the ternary one. */
    private final int firstSegments;

    private final int firstColumns;

    private final int thresholdWords;
    private final int segmentWords;
    private final int ternarySlots;

    private final int mask;
    private final int maskChange;

    /** Per bucket, the last slot that is bumped, or -1. */
    private final byte[] lastBumped;

    private final byte[] rows;

    /** Per segment, the columns after those in rows. */
    private final long[] planes;

    private final int stride;

    /** The ones and the twos of each first segment and of the next, as bands reach into it. */
    private final long[] digits;

    private final @Nullable Layer next;

    Layer(HeapWords words, long at, ShardTable table, int layer) {
      segments = table.low(0, ShardTable.DIMENSIONS + layer);
      columns = table.low(0, ShardTable.SHAPE);
      ternary = isTernary(table);
      salt = layer == LAST ? table.high(0, ShardTable.SHAPE) : 0;
      firstSegments = table.high(0, ShardTable.DIMENSIONS + layer);
      firstColumns = table.low(0, ShardTable.FIRST);
      thresholdWords = layer == LAST ? 0 : Ribbon.thresholdWords(segments);
      segmentWords =
          (int) Ribbon.segmentAt(segments, columns, firstSegments, columns - firstColumns);
      ternarySlots = ternary ? Ribbon.ternarySlots(firstSegments, segments) : 0;
      mask = (int) ((1L << columns) - 1);
      maskChange = mask ^ (int) ((1L << firstColumns) - 1);
      int slots = segments * Ribbon.SEGMENT;
      // An empty layer has a segment too, and bumps it: so it is asked as the others are.
      lastBumped = new byte[Math.max(1, (slots + Ribbon.BUCKET - 1) / Ribbon.BUCKET)];
      rows = new byte[Math.max(slots, Ribbon.SEGMENT)];
      stride = planes(table);
      // One more, which bands reach into but choose nothing of.
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
        // The digit in two bits, without a branch, which would be guessed.
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

    /** The word at an index, as it is in files. */
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

    /** The first slot of an equation. */
    int start(long inLayer) {
      return Ribbon.start(inLayer, rows.length);
    }

    boolean bumps(int start) {
      // Not % and /, which mind negative numbers.
      return (start & (Ribbon.BUCKET - 1)) <= lastBumped[start >>> BUCKET_SHIFT];
    }

    /** Whether the slots from a start on do not give the result of a key, in any of the columns. */
    boolean differs(int start, long bits) {
      long coefficients = Ribbon.coefficients(bits);
      int segment = start >>> 6;
      // -1 for an equation that starts in a first segment, otherwise 0: a branch would be guessed.
      int first = (segment - firstSegments) >> 31;
      int sums = rowSums(start, coefficients);
      int digitDiffers = 0;
      if (stride != 0 || ternary) {
        // The coefficients are moved to the slots, once, and not the slots of every plane to them.
        long low = coefficients << start;
        long high = coefficients >>> 1 >>> ~start; // In two steps, as a shift by 64 would be none.
        if (stride != 0) {
          sums |= planeSums(segment * stride, low, high) << ROW;
        }
        if (ternary) {
          int at = 2 * (segment & first);
          int ones = chosen(digits, at, at + 2, low, high);
          int twos = chosen(digits, at + 1, at + 3, low, high) + Ribbon.ternaryResult(bits);
          // A multiple of 3 becomes small, what is one more or two more gets a high bit set.
          digitDiffers = (((ones + 2 * twos) * THIRD) >>> 30) & first;
        }
      }
      int differing = (sums ^ Ribbon.result(bits)) & (mask ^ (maskChange & first));
      return (differing | digitDiffers) != 0;
    }

    /** The sums of the chosen slots in the columns of rows. */
    private int rowSums(int start, long coefficients) {
      // No loop, as it would be unrolled, but not wholly.
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

    /** Eight rows from a start and an offset on, without those that are not chosen. */
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

    /** How many of the chosen slots of two segments have their bit set in a plane. */
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
