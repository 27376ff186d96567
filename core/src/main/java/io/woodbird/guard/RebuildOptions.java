package io.woodbird.guard;

import io.woodbird.key.KeyHasher;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What a {@link RebuildingFilterBuilder} was told. */
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
    boolean keepPrevious,
    GenerationStore<K> store,
    @Nullable SharedStore<K> shared,
    Consumer<? super RebuildEvent> listener,
    Clockwork clockwork) {
  /** Room for so many keys and some growth. */
  long capacityFor(long count) {
    return (long) Math.ceil(Math.max(count, 1) * headroom);
  }

  GenerationStore.Plan<K> plan(long number, long capacity) {
    return new GenerationStore.Plan<>(number, keys, seed, capacity, fpp);
  }
}
