package io.woodbird.guard.shared;

import io.woodbird.guard.GenerationStore;
import java.io.IOException;
import java.util.OptionalLong;

/**
 * A place where one filter lives that several processes share, such as Redis.
 *
 * @param <K> the type of the keys
 */
public interface SharedStore<K> {
  /**
   * Opens the filter, or makes it. One that is made here holds nothing and denies nothing.
   *
   * @param plan what is wanted; the filter that is there may have another size
   * @param lost called when the filter can't answer and only a build can help; from any thread, as
   *     often as it is noticed
   * @return the filter
   * @throws IOException if the store is away
   */
  SharedFilter<K> open(GenerationStore.Plan<K> plan, Runnable lost) throws IOException;

  /**
   * {@return the seed of the hash function, which must be the same in all processes, always; empty
   * if the builder of the filter must choose it}
   */
  OptionalLong seed();
}
