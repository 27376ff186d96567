package io.woodbird;

import java.security.SecureRandom;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Checks the parameters that a builder is given, so that nothing behind it checks them again. */
final class Parameters {
  private Parameters() {}

  static long positive(String name, long value) {
    if (value <= 0) {
      throw new IllegalArgumentException(name + " must be positive: " + value);
    }
    return value;
  }

  static long atMost(String name, long most, long value) {
    if (value > most) {
      throw new IllegalArgumentException(name + " must be at most " + most + ": " + value);
    }
    return value;
  }

  static double probability(String name, double value) {
    if (!(value > 0 && value < 1)) { // Also refuses NaN.
      throw new IllegalArgumentException(name + " must be above 0 and below 1: " + value);
    }
    return value;
  }

  /** The seed that was fixed, or a random one. */
  static long seedOrRandom(@Nullable Long seed) {
    return seed != null ? seed : new SecureRandom().nextLong();
  }

  /** An fpp that a 64-bit hash can keep: two of the keys may have the same hash. */
  static double reachable(long keys, double fpp) {
    double floor = keys * 0x1p-64;
    if (fpp <= 2 * floor) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "fpp %s can't be kept for %,d keys: a 64-bit hash alone gives %.2g",
              fpp,
              keys,
              floor));
    }
    return fpp;
  }
}
