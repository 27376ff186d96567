package io.woodbird.layout;

/** A 64-bit hash becomes a number below a limit, without a division. */
public final class Reduce {
  private Reduce() {}

  /**
   * Returns {@code floor(hash * limit / 2^64)} of the unsigned hash with its lowest bit cleared:
   * the high bits decide, every number is hit equally often to within limit / 2^63.
   *
   * @param hash well mixed in its high bits
   * @param limit from 1 to 2^62 - 1
   */
  public static long toRange(long hash, long limit) {
    // The signed product of two non-negative numbers: no fix-up, as unsignedMultiplyHigh needs on
    // 17.
    return Math.multiplyHigh(hash >>> 1, limit << 1);
  }
}
