package io.woodbird.layout;

/** Maps a 64-bit hash to a number below a limit, without a division. */
public final class Reduce {
  private Reduce() {}

  /**
   * Returns {@code floor(hash * limit / 2^64)} of the unsigned hash with its lowest bit cleared.
   * The high bits decide, so they must be well mixed; every number is equally likely to within
   * limit / 2^63. The limit is from 1 to 2^62 - 1.
   */
  public static long toRange(long hash, long limit) {
    // Both factors are non-negative, so the signed product is right. On Java 17 an unsigned product
    // would need a correction.
    return Math.multiplyHigh(hash >>> 1, limit << 1);
  }
}
