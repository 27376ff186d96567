package io.woodbird.time;

import java.time.Duration;
import java.util.Objects;

/** Checks settings of type {@link Duration}, once, where the caller sets them. Internal. */
public final class TimeSpan {
  /*
   * A long holds 292 years of nanoseconds, a Duration 292 billion years. A setting of a thousand
   * years means "never", so a setting longer than a hundred years becomes a hundred years. Then
   * toNanos() can't overflow. Comparing two moments can't overflow either: the code compares their
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

  /** As {@link #positive}, for a setting that may be zero. */
  public static Duration notNegative(String name, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.isNegative()) {
      throw new IllegalArgumentException(name + " must not be negative: " + value);
    }
    return bounded(value);
  }

  /** As {@link #positive}, for a setting of at least {@code millis} milliseconds. */
  public static Duration atLeastMillis(String name, long millis, Duration value) {
    Objects.requireNonNull(value, name);
    if (value.compareTo(Duration.ofMillis(millis)) < 0) {
      throw new IllegalArgumentException(name + " must be at least " + millis + " ms: " + value);
    }
    return bounded(value);
  }

  /** Returns the nearest length of time from zero to a hundred years. */
  public static Duration bounded(Duration value) {
    if (value.isNegative()) {
      return Duration.ZERO;
    }
    return value.compareTo(LONGEST) > 0 ? LONGEST : value;
  }
}
