package io.woodbird.redis;

import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.guard.shared.SharedStore;
import java.util.OptionalLong;

/** The filter of one name, for those who build it from a source. */
record RedisStore<K>(WoodbirdRedis redis, String name) implements SharedStore<K> {
  @Override
  public SharedFilter<K> open(GenerationStore.Plan<K> plan, Runnable lost) {
    return new SourcedFilter<>(redis, name, plan, lost);
  }

  /**
   * Of the name alone: hashes that somebody keeps stay right when the filter is lost and made anew.
   */
  @Override
  public OptionalLong seed() {
    return WoodbirdRedis.seedOf(name);
  }
}
