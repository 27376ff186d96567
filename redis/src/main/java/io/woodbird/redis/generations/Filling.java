package io.woodbird.redis.generations;

import io.woodbird.BloomFilter;
import io.woodbird.redis.layout.Generation;
import java.time.Duration;

/** What a build puts into its generation. */
public interface Filling<K> {
  /** For how many keys the fpp must hold. */
  default long capacity(Generation old) {
    return old.expectedKeys();
  }

  /** The promise. */
  default double fpp(Generation old) {
    return old.fpp();
  }

  /** How long a put may be older than its row in the source. */
  default Duration settle() {
    return Duration.ZERO;
  }

  /** Called every second or so while something is waited for; throws if it should not be. */
  default void alive() {}

  /**
   * Whether the filter may be made anew if it is damaged. Then a thread keeps the lease, however
   * long the source is silent.
   */
  default boolean sourced() {
    return false;
  }

  /** Keeps others from building. */
  interface Lease {
    /** Prolongs it, if it is time; false if it is lost. */
    boolean keep();
  }

  /**
   * Puts all keys.
   *
   * @return how many, or -1 if the lease was lost
   */
  long fill(long number, BloomFilter<K> heap, Lease lease) throws Exception;
}
