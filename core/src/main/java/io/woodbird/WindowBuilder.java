package io.woodbird;

import io.woodbird.filter.Setup;
import io.woodbird.filter.WindowFilters;
import io.woodbird.key.KeyHasher;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters that forget. Made by {@link Woodbird#window}.
 *
 * @param <K> the type of the keys
 */
public final class WindowBuilder<K> {
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private final long spanNanos;
  private double fpp = 0.01;
  private LongSupplier clock = System::nanoTime;
  private @Nullable Long seed;

  /** Makes a builder; without a duration only the number of keys counts. */
  WindowBuilder(KeyHasher<K> keys, long expectedKeys, @Nullable Duration duration) {
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = Parameters.positive("expectedKeys", expectedKeys);
    if (duration != null
        && (duration.isNegative() || duration.isZero() || duration.compareTo(LONGEST) > 0)) {
      throw new IllegalArgumentException(
          "duration must be positive and at most a hundred years: " + duration);
    }
    this.spanNanos = duration == null ? 0 : duration.toNanos();
  }

  /**
   * Sets the false positive probability while at most the expected number of keys lie in the
   * window; 1 % if nothing is said.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public WindowBuilder<K> fpp(double value) {
    fpp = Parameters.reachable(expectedKeys, Parameters.probability("fpp", value));
    return this;
  }

  /**
   * Gives the time; {@link System#nanoTime} if nothing is said. Where it goes back, the window goes
   * on from where it was; where it leaps forward, that time has passed.
   *
   * @param nanos gives nanoseconds since any moment
   * @return this
   */
  public WindowBuilder<K> clock(LongSupplier nanos) {
    clock = Objects.requireNonNull(nanos, "clock");
    return this;
  }

  /**
   * Fixes the seed of the hash function. Otherwise it is random.
   *
   * @param value any number
   * @return this
   */
  public WindowBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Sizes the filter without building it.
   *
   * @return the plan that {@link #build} would follow
   * @throws IllegalArgumentException if no filter can be so large
   */
  public FilterPlan plan() {
    return WindowFilters.plan(expectedKeys, fpp);
  }

  /**
   * Builds an empty filter on the heap. It may be used by any number of threads at once; putting
   * locks a small part of it, asking locks nothing.
   *
   * <p>A key stays at least as long as the window is, counted from its last put, and up to a
   * seventh longer; longer still while nothing is put. More keys than expected never shorten the
   * window: they raise the fpp, which {@link Filter#stats} shows.
   *
   * @return the filter
   * @throws IllegalArgumentException if no filter can be so large
   */
  public MutableFilter<K> build() {
    long chosenSeed = seed != null ? seed : new SecureRandom().nextLong();
    return WindowFilters.empty(new Setup<>(keys, chosenSeed, expectedKeys, fpp), spanNanos, clock);
  }
}
