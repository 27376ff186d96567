package io.woodbird.guard;

import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;

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
   * Takes note that a generation will never answer again: its build failed, perhaps after it was
   * published, or it was replaced. Questions that began before may still be under way.
   *
   * @param filter made by {@link #begin}
   */
  default void discard(MutableFilter<K> filter) {}

  /**
   * {@return the seed of the hash function, if others share the store and must use the same; empty
   * if each filter may choose its own}
   */
  default OptionalLong seed() {
    return OptionalLong.empty();
  }

  /**
   * Finds a generation of an earlier life of this process. Rows may have come since, so it never
   * says "not here": until the first build, a key that it holds is {@link
   * io.woodbird.Answer#MAYBE_HERE} and any other {@link io.woodbird.Answer#UNKNOWN}. And it tells
   * how many keys are plausible.
   *
   * @param keys hashes the keys
   * @return the generation last published; empty if there is none, or none that can be used
   * @throws IOException if it can't be read; that is reported, and the build goes on
   */
  default Optional<Filter<K>> restore(KeyHasher<K> keys) throws IOException {
    return Optional.empty();
  }

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
