package io.woodbird.layout;

/**
 * How many columns the segments of a ribbon have: the first segments some, the others another
 * number.
 *
 * @param columns of the segments after the first ones
 * @param firstColumns of the first segments
 * @param ternary whether the first segments have a ternary column too
 * @param share the share of the segments that are first ones
 */
public record RibbonColumns(int columns, int firstColumns, boolean ternary, double share) {
  /*
   * A segment of b columns lets 2^-b of the foreign keys pass. For an fpp between two powers of
   * two, a share of the segments has one column less. But the fpp of a filter is the average over
   * its segments, so this costs up to 0.086 bits a key more than log2(1 / fpp). A ternary column
   * lets 1/3 pass and takes 1.6 bits, as five ternary digits fit into a byte. That gives a step in
   * between, and the loss between neighbouring steps is at most 0.038 bits:
   *
   *   passes, of 2^-b    1          4/3          2
   *   bits               b          b - 0.4      b - 1
   *   columns            b          b - 2 and    b - 1
   *                                 a ternary
   */
  private static final double TERNARY_BITS = 8.0 / Ribbon.TERNARY_PER_BYTE;

  /**
   * Nearer than this to a power of two, a ternary column saves too little: building takes about 1.7
   * times as long with it.
   */
  private static final double NEAR = 0.1;

  /** With fewer keys there are too few segments to meet a share. */
  private static final int FEW = 10_000;

  /** Returns no columns: every key passes. */
  public static RibbonColumns none() {
    return new RibbonColumns(0, 0, false, 0);
  }

  /** Returns the columns for which foreign keys pass with a probability of at most {@code fpp}. */
  public static RibbonColumns forFpp(double fpp, long keys) {
    int columns = Math.max(1, -Math.getExponent(fpp));
    double passes = Math.min(2, Math.max(1, fpp * Math.pow(2, columns)));
    if (keys < FEW || columns < 2 || passes < 1 + NEAR || passes > 2 - NEAR) {
      return new RibbonColumns(columns, columns - 1, false, passes - 1);
    }
    return passes <= 4.0 / 3
        ? new RibbonColumns(columns, columns - 2, true, (passes - 1) * 3)
        : new RibbonColumns(columns - 1, columns - 2, true, (2 - passes) * 1.5);
  }

  /** Returns the columns that take {@code bits} bits per slot. */
  public static RibbonColumns forBits(double bits, long keys) {
    int columns = (int) Math.max(1, Math.ceil(Math.min(32, bits)));
    double less = Math.min(1, Math.max(0, columns - bits));
    if (keys < FEW || columns < 2 || less < NEAR || less > 1 - NEAR) {
      return new RibbonColumns(columns, columns - 1, false, less);
    }
    double saves = 2 - TERNARY_BITS;
    return less <= saves
        ? new RibbonColumns(columns, columns - 2, true, less / saves)
        : new RibbonColumns(columns - 1, columns - 2, true, (1 - less) / (1 - saves));
  }

  /** Returns the share of foreign keys that pass a segment after the first ones. */
  public double passes() {
    return Math.pow(2, -columns);
  }

  /** Returns the share of foreign keys that pass one of the first segments. */
  public double firstPasses() {
    return Math.pow(2, -firstColumns) / (ternary ? 3 : 1);
  }

  /** Whether the first segments are smaller than the others, and let more keys pass. */
  public boolean firstAreSmaller() {
    return firstPasses() > passes();
  }
}
