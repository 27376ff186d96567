package io.woodbird.redis.generations;

import io.woodbird.BloomFilter;
import io.woodbird.redis.layout.GenerationSpec;
import java.time.Duration;
import java.util.function.Supplier;

/** What a build puts into its generation. */
public interface Filling<K> {
  /** For how many keys the fpp must hold. */
  default long capacity(GenerationSpec old) {
    return old.expectedKeys();
  }

  /** The promise. */
  default double fpp(GenerationSpec old) {
    return old.fpp();
  }

  /** How long a put may be older than its row in the source. */
  default Duration settle() {
    return Duration.ZERO;
  }

  /** Called every second or so while something is waited for; throws if it should not be. */
  default void alive() {}

  /** Whether the filter may be made again if it is damaged. */
  default boolean sourced() {
    return false;
  }

  /**
   * Puts all keys.
   *
   * @param generation what is being built
   * @param heap makes a filter on the heap, which is sent afterwards; not asked for it where other
   *     machines load the shards
   * @return how many
   */
  long fill(GenerationSpec generation, Supplier<BloomFilter<K>> heap) throws Exception;
}
