package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.layout.RibbonShape;
import java.util.Arrays;

/** One layer of a ribbon while it is solved. Reused for shard after shard. */
final class RibbonLayer implements RibbonShape.Layer {
  private final boolean bumps;
  private final Band binary;
  private final long valueMask;
  private final TernaryBand ternary = new TernaryBand();
  private final RibbonEquations equations = new RibbonEquations();
  private int ternarySegments;
  private int segments;
  private long[] thresholds = new long[0];
  private int[] binaryRows = new int[1024];
  private int[] ternaryRows = new int[1024];

  RibbonLayer(boolean bumps, int valueBits) {
    this.bumps = bumps;
    this.binary = valueBits == 0 ? new BinaryBand() : new ValueBand(valueBits);
    this.valueMask = valueBits == 0 ? 0 : -1L >>> (64 - valueBits);
  }

  /** Removes all equations. A share of the new segments will have ternary slots. */
  void clear(int newSegments, double ternaryShare) {
    segments = newSegments;
    ternarySegments = Ribbon.ternarySegments(segments, ternaryShare);
    binary.clear(slots());
    ternary.clear(ternarySegments == 0 ? 0 : slots());
    int codes = Ribbon.thresholdWords(segments);
    if (thresholds.length < codes) {
      thresholds = new long[codes];
    } else {
      Arrays.fill(thresholds, 0, codes, 0);
    }
  }

  @Override
  public int segments() {
    return segments;
  }

  @Override
  public int ternarySegments() {
    return ternarySegments;
  }

  @Override
  public boolean hasThresholds() {
    return bumps;
  }

  /**
   * Adds sorted keys, bucket by bucket, and returns how many were bumped. If the keys have values,
   * so have the bumped ones.
   */
  int fill(long[] keys, long[] values, int count, long[] bumped, long[] bumpedValues) {
    int bumpedCount = 0;
    int from = 0;
    while (from < count) {
      int bucket = Ribbon.start(keys[from], slots()) / Ribbon.BUCKET;
      long end = (bucket + 1L) * Ribbon.BUCKET;
      int to = from + 1;
      while (to < count && Ribbon.start(keys[to], slots()) < end) {
        to++;
      }
      int code = fillBucket(keys, values, from, to);
      thresholds[bucket >>> 5] |= (long) code << (2 * bucket);
      int threshold = Ribbon.threshold(code);
      for (int i = from;
          i < to && Ribbon.start(keys[i], slots()) % Ribbon.BUCKET < threshold;
          i++) {
        bumped[bumpedCount] = keys[i];
        if (valueMask != 0) {
          bumpedValues[bumpedCount] = values[i];
        }
        bumpedCount++;
      }
      from = to;
    }
    return bumpedCount;
  }

  /** Adds the keys of a bucket, last first, and returns the code of its threshold. */
  private int fillBucket(long[] keys, long[] values, int from, int to) {
    int count = to - from;
    int inBinary = addBinary(keys, values, from, to);
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

  private int addBinary(long[] keys, long[] values, int from, int to) {
    if (binaryRows.length < to - from) {
      binaryRows = new int[to - from];
      ternaryRows = new int[to - from];
    }
    equations.set(keys, from, to, slots());
    if (valueMask != 0) {
      equations.setValues(values, from, to, valueMask);
    }
    return binary.addAll(equations, to - from, binaryRows);
  }

  /** Adds all keys; returns false if they contradict each other. */
  boolean fillWithoutBumping(long[] keys, long[] values, int count) {
    return addBinary(keys, values, 0, count) == count
        && (ternarySegments == 0 || ternary.addAll(equations, count, ternaryRows) == count);
  }

  @Override
  public long stay(int limit) {
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

  /**
   * Computes the slots of the ribbon's layer with this index, writes them, and returns the index
   * after its last word.
   */
  int write(RibbonShape shape, int layer, long[] words, int from) {
    System.arraycopy(thresholds, 0, words, from, thresholdWords());
    int at = from + thresholdWords();
    int first = shape.first(layer);
    long[] later = new long[shape.valueBits() + shape.columns().columns()];
    for (int segment = segments - 1; segment >= 0; segment--) {
      binary.substitute(segment * Ribbon.SEGMENT, later);
      int count = shape.segmentWords(layer, segment);
      System.arraycopy(later, 0, words, at + (int) shape.segmentAt(layer, segment), count);
    }
    at += (int) shape.segmentAt(layer, segments);
    int ternaryWords = shape.ternaryWords(layer);
    if (ternaryWords > 0) {
      ternary.substitute(slots(), Ribbon.ternarySlots(first, segments), words, at);
    }
    return at + ternaryWords;
  }
}
