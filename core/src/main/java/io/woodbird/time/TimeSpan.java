package io.woodbird.time;

import java.time.Duration;
import java.util.Objects;

/** The checks that every setting of type {@link Duration} passes, once, at the border. Internal. */
public final class TimeSpan {
  /*
   * A long holds 292 years of nanoseconds, a Duration 292 billion years. Whoever writes a thousand
   * years means "never", so a setting longer than a hundred years becomes a hundred years. Then
   * toNanos() can't overflow, and nor can the comparison of two moments: they are compared by their
   * difference, nanoTime() + span - nanoTime(), which is right below 2^63.
   */

  /** A hundred years. */
  public static final Duration LONGEST = Duration.ofDays(36_500);

  private TimeSpan() {}

  /** Checks a setting that must be positive; returns it, or a hundred years if it is longer. */
  public static Duration positive(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " must be positive: " + value);
    }
    return bounded(value);
  }

  /** The same for a setting that may be zero. */
  public static Duration notNegative(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative: " + value);
    }
    return bounded(value);
  }

  /** The same for a setting that must be so many milliseconds at least. */
  public static Duration atLeastMillis(String name, long millis, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.compareTo(Duration.ofMillis(millis)) < 0) {
      throw new IllegalArgumentException(name + " must be at least " + millis + " ms: " + value);
    }
    return bounded(value);
  }

  /** Returns the nearest time that is not negative and not longer than a hundred years. */
  public static Duration bounded(Duration value) {
    if (value.isNegative()) {
      return Duration.ZERO;
    }
    return value.compareTo(LONGEST) > 0 ? LONGEST : value;
  }
}
