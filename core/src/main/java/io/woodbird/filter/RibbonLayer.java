package io.woodbird.filter;

import io.woodbird.layout.Ribbon;
import io.woodbird.layout.RibbonColumns;
import java.util.Arrays;

/** One layer of a ribbon while it is solved. Used again from shard to shard. */
final class RibbonLayer {
  private final boolean bumps;
  private final BinaryBand binary = new BinaryBand();
  private final TernaryBand ternary = new TernaryBand();
  private final RibbonEquations equations = new RibbonEquations();
  private int ternarySegments;
  private int segments;
  private int first;
  private long[] thresholds = new long[0];
  private int[] binaryRows = new int[1024];
  private int[] ternaryRows = new int[1024];

  RibbonLayer(boolean bumps) {
    this.bumps = bumps;
  }

  /**
   * Empties it.
   *
   * @param newSegments that it will have
   * @param ternaryShare the share of them that will have ternary slots
   */
  void clear(int newSegments, double ternaryShare) {
    segments = newSegments;
    first = 0;
    // Some more than that, as only later it is known how many; and whole buckets.
    double enough = ternaryShare == 0 ? 0 : ternaryShare * segments * 1.01 + 16;
    ternarySegments = (int) Math.min(segments, Math.ceil(enough / 2) * 2);
    binary.clear(slots());
    ternary.clear(ternarySegments == 0 ? 0 : slots());
    int codes = Ribbon.thresholdWords(segments);
    if (thresholds.length < codes) {
      thresholds = new long[codes];
    } else {
      Arrays.fill(thresholds, 0, codes, 0);
    }
  }

  int segments() {
    return segments;
  }

  /** How many segments can have ternary slots. */
  int ternarySegments() {
    return ternarySegments;
  }

  /** How many segments have the columns of first ones. */
  int first() {
    return first;
  }

  void setFirst(int newFirst) {
    first = newFirst;
  }

  int slots() {
    return segments * Ribbon.SEGMENT;
  }

  /** How many slots an equation may start at. */
  int starts() {
    return Math.max(0, slots() - Ribbon.SEGMENT + 1);
  }

  int thresholdWords() {
    return bumps ? Ribbon.thresholdWords(segments) : 0;
  }

  /** Fills it with sorted keys, bucket by bucket, and returns how many were bumped. */
  int fill(long[] keys, int count, long[] bumped) {
    int bumpedCount = 0;
    int from = 0;
    while (from < count) {
      int bucket = Ribbon.start(keys[from], slots()) / Ribbon.BUCKET;
      long end = (bucket + 1L) * Ribbon.BUCKET;
      int to = from + 1;
      while (to < count && Ribbon.start(keys[to], slots()) < end) {
        to++;
      }
      int code = fillBucket(keys, from, to);
      thresholds[bucket >>> 5] |= (long) code << (2 * bucket);
      int threshold = Ribbon.threshold(code);
      for (int i = from;
          i < to && Ribbon.start(keys[i], slots()) % Ribbon.BUCKET < threshold;
          i++) {
        bumped[bumpedCount++] = keys[i];
      }
      from = to;
    }
    return bumpedCount;
  }

  /** Puts the keys of a bucket in, last first, and returns the code of its threshold. */
  private int fillBucket(long[] keys, int from, int to) {
    int count = to - from;
    int inBinary = addBinary(keys, from, to);
    boolean withTernary = equations.start(0) < ternarySegments * Ribbon.SEGMENT;
    int in = withTernary ? ternary.addAll(equations, inBinary, ternaryRows) : inBinary;
    if (in == count) {
      return 0;
    }
    int code = 1;
    while (Ribbon.threshold(code) <= equations.start(in) % Ribbon.BUCKET) {
      code++;
    }
    for (int i = inBinary - 1; i >= 0 && below(code, i); i--) {
      binary.remove(binaryRows[i]);
      if (withTernary && i < in) {
        ternary.remove(ternaryRows[i]);
      }
    }
    return code;
  }

  private boolean below(int code, int equation) {
    return equations.start(equation) % Ribbon.BUCKET < Ribbon.threshold(code);
  }

  private int addBinary(long[] keys, int from, int to) {
    if (binaryRows.length < to - from) {
      binaryRows = new int[to - from];
      ternaryRows = new int[to - from];
    }
    equations.set(keys, from, to, slots());
    return binary.addAll(equations, to - from, binaryRows);
  }

  /** Puts all keys in, or returns false. */
  boolean fillWithoutBumping(long[] keys, int count) {
    return addBinary(keys, 0, count) == count
        && (ternarySegments == 0 || ternary.addAll(equations, count, ternaryRows) == count);
  }

  /** The share of starts that are not bumped, weighted with what passes there. */
  double passes(RibbonColumns columns) {
    long stay = stay(starts());
    long stayFirst = stay(Math.min(starts(), first * Ribbon.SEGMENT));
    return (stayFirst * columns.firstPasses() + (stay - stayFirst) * columns.passes()) / starts();
  }

  /** The share of starts that are bumped. */
  double bumps() {
    return 1 - (double) stay(starts()) / starts();
  }

  /** How many of the starts up to a limit are not bumped. */
  private long stay(int limit) {
    if (!bumps) {
      return limit;
    }
    long stay = 0;
    for (int slot = 0, bucket = 0; slot < limit; slot += Ribbon.BUCKET, bucket++) {
      int code = (int) (thresholds[bucket >>> 5] >>> (2 * bucket)) & 3;
      stay += Math.max(0, Math.min(limit - slot, Ribbon.BUCKET) - Ribbon.threshold(code));
    }
    return stay;
  }

  /** The words that it takes. */
  long words(RibbonColumns columns) {
    return thresholdWords() + segmentAt(segments, columns) + ternaryWords(columns);
  }

  private int ternaryWords(RibbonColumns columns) {
    return columns.ternary() ? Ribbon.ternaryWords(first, segments) : 0;
  }

  private long segmentAt(int segment, RibbonColumns columns) {
    int fewer = columns.columns() - columns.firstColumns();
    return Ribbon.segmentAt(segment, columns.columns(), first, fewer);
  }

  /** Finds the slots and writes all that belongs to it; returns where that ends. */
  int write(RibbonColumns columns, long[] words, int from) {
    System.arraycopy(thresholds, 0, words, from, thresholdWords());
    int at = from + thresholdWords();
    long[] later = new long[columns.columns()];
    for (int segment = segments - 1; segment >= 0; segment--) {
      binary.substitute(segment * Ribbon.SEGMENT, later);
      int count = segment < first ? columns.firstColumns() : columns.columns();
      System.arraycopy(later, 0, words, at + (int) segmentAt(segment, columns), count);
    }
    at += (int) segmentAt(segments, columns);
    int ternaryWords = ternaryWords(columns);
    if (ternaryWords > 0) {
      ternary.substitute(slots(), Ribbon.ternarySlots(first, segments), words, at);
    }
    return at + ternaryWords;
  }
}
