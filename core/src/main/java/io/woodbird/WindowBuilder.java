package io.woodbird;

import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.window.WindowFilter;
import io.woodbird.key.KeyHasher;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters whose keys expire. Made by {@link Woodbird#window}.
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
   * Sets the false positive probability; 1 % by default. A window of the last keys keeps it
   * whatever is put. A window of time keeps it while at most the expected number of keys lie in it;
   * a key that is put again in a later seventh of the window counts again.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public WindowBuilder<K> fpp(double value) {
    fpp = Parameters.reachable(expectedKeys, Parameters.probability("fpp", value));
    return this;
  }

  /**
   * Gives the time; {@link System#nanoTime} by default. Where it goes back, the window goes on from
   * where it was; where it leaps forward, that time has passed. A window of the last keys does not
   * ask for the time.
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
    return WindowFilter.plan(expectedKeys, fpp, spanNanos);
  }

  /**
   * Builds an empty filter on the heap. It may be used by any number of threads at once; putting
   * locks a small part of it, asking locks nothing.
   *
   * <p>Which keys it never denies, at any moment:
   *
   * <ul>
   *   <li>In a window of time, every key of which a put has returned that was called less than the
   *       duration ago. Time is what the clock has moved forward since, in all: steps back are left
   *       out.
   *   <li>In a window of the last <i>n</i> keys, every key of which a put has returned after which
   *       fewer than <i>n</i> other distinct keys were put, or are being put. A put at the same
   *       time counts as one after it.
   * </ul>
   *
   * <p>A key that is put again counts from its last put. All this holds while other threads put and
   * ask, however long any of them pauses, and while the filter is saved: a file has every key that
   * was in the window from the call of {@code save} until it returned, and a filter that is read
   * from it goes on from there. Time that passes between does not count.
   *
   * <p>A key is forgotten some time later: up to a seventh of the duration, or about <i>n</i> other
   * keys; later still while nothing is put. More keys than expected in a window of time never
   * shorten it: they raise the fpp, which {@link Filter#stats} shows.
   *
   * <p>Saving copies the filter first, so that it takes twice its memory meanwhile.
   *
   * @return the filter
   * @throws IllegalArgumentException if no filter can be so large
   */
  public MutableFilter<K> build() {
    return WindowFilter.empty(
        new FilterSpec<>(keys, Parameters.seedOrRandom(seed), expectedKeys, fpp), spanNanos, clock);
  }
}
