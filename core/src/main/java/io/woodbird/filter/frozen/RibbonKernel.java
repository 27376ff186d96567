package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.words.WordSource;

/** Queries a ribbon filter of any size. */
final class RibbonKernel extends WordsKernel implements MapKernel {
  private static final int LAST = Ribbon.LAYERS - 1;

  /** For a byte of ternary digits (low 8 bits), the sum of those that the high 5 bits choose. */
  private static final byte[] TERNARY_SUMS = ternarySums();

  private final ShardTable table;

  RibbonKernel(WordSource words, ShardTable table) {
    super(words);
    this.table = table;
  }

  @Override
  boolean lacks(long hash) {
    return lacks(table.entryOf(hash), Ribbon.inFirstLayer(hash, table.shardBits()));
  }

  /** Whether the ribbon of an entry lacks a key. */
  boolean lacks(int entry, long inFirstLayer) {
    return evaluate(entry, inFirstLayer, Question.LACKS, 1) != 0;
  }

  /** Returns the value that a map has for a key, or any other number for a key that it lacks. */
  long value(long hash) {
    return value(table.entryOf(hash), Ribbon.inFirstLayer(hash, table.shardBits()));
  }

  /** Returns the value that the ribbon of an entry has for a key. */
  long value(int entry, long inFirstLayer) {
    return evaluate(entry, inFirstLayer, Question.VALUE, 0);
  }

  @Override
  public long find(long hash, long absent) {
    long inFirstLayer = Ribbon.inFirstLayer(hash, table.shardBits());
    return evaluate(table.entryOf(hash), inFirstLayer, Question.FIND, absent);
  }

  /** What is asked about a key. */
  private enum Question {
    /** Whether it is lacking; 0 if it is not. */
    LACKS,
    /** The value, also of a key that is lacking. */
    VALUE,
    /** The value, unless the key is lacking. */
    FIND
  }

  /** Answers a question; {@code absent} is the answer for a key that is lacking. */
  private long evaluate(int entry, long inFirstLayer, Question question, long absent) {
    long at = table.word(entry, ShardTable.START);
    long inLayer = inFirstLayer;
    for (int layer = 0; layer < LAST; layer++) {
      int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
      if (segments != 0) {
        int start = Ribbon.start(inLayer, segments * Ribbon.SEGMENT);
        long slots = at + Ribbon.thresholdWords(segments);
        if (!bumped(at, start)) {
          long bits = Ribbon.bits(inLayer);
          return answer(entry, layer, slots, start, bits, question, absent);
        }
        at = slots + slotWords(entry, layer);
      }
      inLayer = next(inLayer, entry, layer);
    }
    int segments = table.low(entry, ShardTable.DIMENSIONS + LAST);
    if (segments == 0) {
      return absent; // No key was left for the last layer.
    }
    int start = Ribbon.start(inLayer, segments * Ribbon.SEGMENT);
    return answer(entry, LAST, at, start, Ribbon.bits(inLayer), question, absent);
  }

  private long answer(
      int entry, int layer, long slots, int start, long bits, Question question, long absent) {
    if (question != Question.VALUE && differs(entry, layer, slots, start, bits)) {
      return absent;
    }
    return question == Question.LACKS ? 0 : value(entry, layer, slots, start, bits);
  }

  /** Evaluates the columns of the value. */
  private long value(int entry, int layer, long slots, int start, long bits) {
    int segment = start >>> 6;
    int shift = start & 63;
    long here = slots + segmentAt(entry, layer, segment);
    long there = shift == 0 ? here : slots + segmentAt(entry, layer, segment + 1);
    long coefficients = Ribbon.coefficients(bits);
    long low = coefficients << shift;
    long high = coefficients >>> 1 >>> (63 - shift);
    int count = table.valueBits(entry);
    long value = 0;
    for (int column = 0; column < count; column++) {
      long chosen = (word(here + column) & low) | (word(there + column) & high);
      value |= (long) (Long.bitCount(chosen) & 1) << column;
    }
    return (value ^ Ribbon.valueMask(bits)) & (-1L >>> (64 - count));
  }

  /** Returns the words of a layer without its thresholds. */
  private long slotWords(int entry, int layer) {
    int segments = table.low(entry, ShardTable.DIMENSIONS + layer);
    int first = table.high(entry, ShardTable.DIMENSIONS + layer);
    boolean ternary = table.isTernary(entry);
    return segmentAt(entry, layer, segments) + (ternary ? Ribbon.ternaryWords(first, segments) : 0);
  }

  private long segmentAt(int entry, int layer, int segment) {
    int columns = table.low(entry, ShardTable.SHAPE);
    int fewer = columns - table.low(entry, ShardTable.FIRST);
    int first = table.high(entry, ShardTable.DIMENSIONS + layer);
    return Ribbon.segmentAt(segment, table.valueBits(entry) + columns, first, fewer);
  }

  private long next(long inLayer, int entry, int layer) {
    int salt = layer + 1 == LAST ? table.high(entry, ShardTable.SHAPE) : 0;
    return Ribbon.inNextLayer(inLayer, salt);
  }

  private boolean bumped(long thresholds, int start) {
    int bucket = start / Ribbon.BUCKET;
    int code = (int) (word(thresholds + (bucket >>> 5)) >>> (2 * bucket)) & 3;
    return start % Ribbon.BUCKET < Ribbon.threshold(code);
  }

  /** Whether the equation of a key fails in at least one column. */
  private boolean differs(int entry, int layer, long slots, int start, long bits) {
    int segment = start >>> 6;
    int shift = start & 63;
    long here = slots + segmentAt(entry, layer, segment);
    // A band that begins with a segment also ends with it. Then the next one may not exist.
    long there = shift == 0 ? here : slots + segmentAt(entry, layer, segment + 1);
    boolean first = segment < table.high(entry, ShardTable.DIMENSIONS + layer);
    int count = table.low(entry, first ? ShardTable.FIRST : ShardTable.SHAPE);
    // Shifts the coefficients once, instead of the slots of every column.
    long coefficients = Ribbon.coefficients(bits);
    long low = coefficients << shift;
    long high = coefficients >>> 1 >>> (63 - shift); // In two steps: Java ignores a shift by 64.
    int result = Ribbon.result(bits);
    int skip = table.valueBits(entry);
    here += skip;
    there += skip;
    for (int column = 0; column < count; column++) {
      long chosen = (word(here + column) & low) | (word(there + column) & high);
      if (((Long.bitCount(chosen) ^ (result >>> column)) & 1) != 0) {
        return true;
      }
    }
    // The ternary column is last: it takes as long as all others, and few foreign keys get here.
    return first
        && table.isTernary(entry)
        && differsInTernary(ternaryAt(entry, layer, slots), start, coefficients, bits);
  }

  private long ternaryAt(int entry, int layer, long slots) {
    return slots + segmentAt(entry, layer, table.low(entry, ShardTable.DIMENSIONS + layer));
  }

  private boolean differsInTernary(long ternary, int start, long coefficients, long bits) {
    // Loads the 14 bytes that hold the 64 slots into two words. Later bytes are not chosen.
    int at = start / Ribbon.TERNARY_PER_BYTE;
    int skip = start - at * Ribbon.TERNARY_PER_BYTE;
    int shift = 8 * (at & 7);
    int word = at >>> 3;
    int last = (start + Ribbon.SEGMENT - 1) / Ribbon.TERNARY_PER_WORD;
    long here = word(ternary + word);
    long next = word(ternary + Math.min(word + 1, last));
    long afterNext = word(ternary + Math.min(word + 2, last));
    long low = (here >>> shift) | (next << 1 << (63 - shift));
    long high = (next >>> shift) | (afterNext << 1 << (63 - shift));
    int sum = ternarySum((int) coefficients << skip, low);
    long left = coefficients >>> (Ribbon.TERNARY_PER_BYTE - skip);
    for (int i = 1; i < 8; i++) {
      low >>>= 8;
      sum += ternarySum((int) left, low);
      left >>>= Ribbon.TERNARY_PER_BYTE;
    }
    for (int i = 8; i < 14; i++) {
      sum += ternarySum((int) left, high);
      high >>>= 8;
      left >>>= Ribbon.TERNARY_PER_BYTE;
    }
    return sum % 3 != Ribbon.ternaryResult(bits);
  }

  /** Returns the sum of the digits in the lowest byte that the lowest five bits choose. */
  private static int ternarySum(int chosen, long digits) {
    return TERNARY_SUMS[((chosen & 31) << 8) | ((int) digits & 0xff)];
  }

  @Override
  long touch(long hash) {
    int entry = table.entryOf(hash);
    int segments = table.low(entry, ShardTable.DIMENSIONS);
    if (segments == 0) {
      return 0;
    }
    int start =
        Ribbon.start(Ribbon.inFirstLayer(hash, table.shardBits()), segments * Ribbon.SEGMENT);
    long slots = table.word(entry, ShardTable.START) + Ribbon.thresholdWords(segments);
    return word(slots + segmentAt(entry, 0, start >>> 6));
  }

  private static byte[] ternarySums() {
    byte[] sums = new byte[32 << 8];
    for (int i = 0; i < sums.length; i++) {
      int digits = i & 0xff;
      for (int chosen = i >>> 8; chosen != 0; chosen >>>= 1) {
        sums[i] += (byte) ((chosen & 1) * (digits % 3));
        digits /= 3;
      }
    }
    return sums;
  }
}
