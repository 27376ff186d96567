package io.woodbird.guard;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import java.io.IOException;

/**
 * Where the generations of a {@link RebuildingFilter} live. {@link #memory} is the usual one.
 *
 * @param <K> the type of the keys
 */
public interface GenerationStore<K> {
  /**
   * A filter to be made.
   *
   * @param <K> the type of the keys
   * @param number of the generation
   * @param keys hashes the keys
   * @param seed of the hash function, the same for all generations of a filter
   * @param expectedKeys how many keys the fpp must hold for
   * @param fpp the promise
   */
  record Plan<K>(long number, KeyHasher<K> keys, long seed, long expectedKeys, double fpp) {}

  /**
   * Makes the empty filter of a generation. The one that answers is not touched.
   *
   * @param plan what is wanted
   * @return the filter; its {@link MutableFilter#hashOf hashes} must be those of the plan
   * @throws IOException if there is no room, or the store is away; then the build fails
   */
  MutableFilter<K> begin(Plan<K> plan) throws IOException;

  /**
   * Takes note that a generation is complete and verified, right before it begins to answer.
   *
   * @param filter made by {@link #begin}
   * @param generation what it holds
   * @throws IOException if it can't become the one that answers, for example because another
   *     process published another one meanwhile; then the build fails and the old one stays
   */
  default void publish(MutableFilter<K> filter, Generation generation) throws IOException {}

  /**
   * Takes note that a generation will never answer again: its build failed, or it was replaced.
   * Questions that began before may still be under way.
   *
   * @param filter made by {@link #begin}
   */
  default void discard(MutableFilter<K> filter) {}

  /**
   * The heap of this process: a Bloom filter for each generation.
   *
   * @param <K> the type of the keys
   * @return the store
   */
  static <K> GenerationStore<K> memory() {
    return plan ->
        Woodbird.bloom(plan.keys(), plan.expectedKeys()).fpp(plan.fpp()).seed(plan.seed()).build();
  }
}
