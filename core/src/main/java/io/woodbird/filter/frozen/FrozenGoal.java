package io.woodbird.filter.frozen;

import java.util.Locale;

/**
 * What a frozen filter should be: its kind, and its fpp or its size.
 *
 * @param fuse whether it is a fuse filter; otherwise a ribbon
 * @param fpp the fpp, if neither limit is given
 * @param bitsPerKey the bits per key, or 0
 * @param maxBytes the most bytes of the file, or 0
 */
public record FrozenGoal(boolean fuse, double fpp, double bitsPerKey, long maxBytes) {
  /** The goal by default: a ribbon with an fpp of 1 %. */
  public static final FrozenGoal DEFAULT = new FrozenGoal(false, 0.01, 0, 0);

  private static final double SMALLEST_FPP = 0x1p-32;

  /** Checks the values; the messages name the methods of the builders. */
  public FrozenGoal {
    if (!(fpp > 0 && fpp < 1)) { // Also refuses NaN.
      throw new IllegalArgumentException("fpp must be above 0 and below 1: " + fpp);
    }
    if (fpp < SMALLEST_FPP) {
      throw new IllegalArgumentException("fpp must be at least 2^-32: " + fpp);
    }
  }

  /** Returns a goal with this fpp and without a limit. */
  public FrozenGoal withFpp(double value) {
    return new FrozenGoal(fuse, value, 0, 0);
  }

  /** Returns a goal with {@code value} bits per key. */
  public FrozenGoal withBitsPerKey(double value) {
    if (!(value > 0 && value <= 32)) {
      throw new IllegalArgumentException("bitsPerKey must be above 0 and at most 32: " + value);
    }
    return new FrozenGoal(fuse, fpp, value, 0);
  }

  /** Returns a goal with a file of at most {@code value} bytes. */
  public FrozenGoal withMaxBytes(long value) {
    if (value <= 0) {
      throw new IllegalArgumentException("maxBytes must be positive: " + value);
    }
    return new FrozenGoal(fuse, fpp, 0, value);
  }

  /** Returns the same goal for a fuse filter, or for a ribbon. */
  public FrozenGoal withFuse(boolean value) {
    return new FrozenGoal(value, fpp, bitsPerKey, maxBytes);
  }

  /** Says that {@code words} words are too few for {@code count} keys. */
  IllegalArgumentException tooSmall(long count, long words) {
    double bits = count == 0 ? 0 : Math.max(0, words) * 64.0 / count;
    return new IllegalArgumentException(
        maxBytes > 0
            ? String.format(
                Locale.ROOT,
                "%,d keys do not fit into maxBytes %,d, which leaves %.3f bits a key",
                count,
                maxBytes,
                bits)
            : String.format(
                Locale.ROOT, "%,d keys can't be kept in %s bits a key", count, bitsPerKey));
  }
}
