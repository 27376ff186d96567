package io.woodbird.layout;

/** The size that a classic Bloom filter needs, and the fpp that a size gives. */
public final class ClassicBloomSize {
  /*
   * After n keys with k positions each, a share q = 1 - (1 - 1/m)^(kn) of the m bits is set. Its
   * standard deviation is sd = sqrt(Var)/m with Var = m (e^-a - (1 + a) e^-2a) and a = kn/m. A key
   * that was never put is "maybe here" with probability q^k. The size is the smallest m for which
   * (q + 3 sd)^k meets the request, so that nearly every single filter meets it, not only the
   * average of many. From 1e6 keys on these 3 deviations cost less than 0.1 % of memory.
   */
  private static final double GUARD = 3;

  private static final int MAX_HASHES = 64;

  private ClassicBloomSize() {}

  /** Returns the smallest layout for which {@code keys} keys give at most {@code fpp}. */
  public static ClassicBloom forFpp(long keys, double fpp) {
    double bitsPerKey = -Math.log(fpp) / (Math.log(2) * Math.log(2));
    int hashes = hashesFor(bitsPerKey);
    long low = 1;
    long high = 64;
    while (guarded(high, hashes, keys) > fpp) {
      low = high;
      high = Math.multiplyExact(high, 2L);
    }
    while (high - low > 64) {
      long middle = low + (high - low) / 2;
      if (guarded(middle, hashes, keys) > fpp) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return new ClassicBloom(wholeWords(high), hashes);
  }

  /** Returns the layout with the lowest fpp among those of at most {@code bits} bits. */
  public static ClassicBloom forBits(long keys, long bits) {
    long whole = Math.max(64, bits / 64 * 64);
    return new ClassicBloom(whole, hashesFor((double) whole / keys));
  }

  /** Returns the fpp to expect after {@code keys} distinct keys. */
  public static double fpp(ClassicBloom layout, double keys) {
    return Math.pow(fill(layout.bitCount(), layout.hashCount(), keys), layout.hashCount());
  }

  /** Estimates the number of keys from the share {@code fill} of bits that are set. */
  public static double keysAt(ClassicBloom layout, double fill) {
    return Math.log1p(-Math.min(fill, 1 - 1e-12))
        / (layout.hashCount() * Math.log1p(-1.0 / layout.bitCount()));
  }

  private static int hashesFor(double bitsPerKey) {
    return (int) Math.max(1, Math.min(MAX_HASHES, Math.round(bitsPerKey * Math.log(2))));
  }

  private static double fill(double bits, int hashes, double keys) {
    return -Math.expm1(keys * hashes * Math.log1p(-1 / bits));
  }

  private static double guarded(long bits, int hashes, long keys) {
    double fill = fill(bits, hashes, keys);
    double load = (double) keys * hashes / bits;
    double clear = Math.exp(-load);
    double spread = Math.sqrt(Math.max(0, clear - (1 + load) * clear * clear) / bits);
    return Math.pow(Math.min(1, fill + GUARD * spread), hashes);
  }

  private static long wholeWords(long bits) {
    return Math.addExact(bits, 63) / 64 * 64;
  }
}
