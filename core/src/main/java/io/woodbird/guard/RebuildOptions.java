package io.woodbird.guard;

import io.woodbird.MutableFilter;
import io.woodbird.guard.shared.SharedStore;
import io.woodbird.key.KeyHasher;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The settings of a {@link RebuildingFilter}. */
record RebuildOptions<K>(
    String name,
    KeyHasher<K> keys,
    KeySource<? extends K> source,
    double fpp,
    long seed,
    long expectedKeys,
    double headroom,
    double floor,
    boolean allowEmpty,
    @Nullable Supplier<Duration> pause,
    @Nullable Duration period,
    Duration retry,
    Duration settle,
    Duration patience,
    int recentPuts,
    boolean keepPrevious,
    GenerationStore<K> store,
    @Nullable SharedStore<K> shared,
    Consumer<? super RebuildEvent> listener,
    Scheduler scheduler) {
  /** Room for the counted keys and some growth. */
  long capacityFor(long count) {
    return (long) Math.ceil(Math.max(count, 1) * headroom);
  }

  /** How long the schedule says to wait for the next build; null for ever. */
  @Nullable Duration untilNext() {
    if (pause == null) {
      return null;
    }
    try {
      Duration value = pause.get();
      return value == null ? null : TimeSpan.bounded(value);
    } catch (RuntimeException | Error e) { // It is the application's own code.
      Uncaught.report(e);
      return retry;
    }
  }

  /** Whether a filter hashes a key as it was planned. */
  boolean sameHash(MutableFilter<K> filter, K key) {
    return filter.hashOf(key) == keys.hash(key, seed);
  }

  GenerationStore.Plan<K> plan(long number, long capacity) {
    return new GenerationStore.Plan<>(number, keys, seed, capacity, fpp);
  }
}
