package io.woodbird;

import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.quotient.GrowingFilter;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.Growing;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters that grow with their keys. Made by {@link Woodbird#growing}.
 *
 * @param <K> the type of the keys
 */
public final class GrowingBuilder<K> {
  private final KeyHasher<K> keys;
  private double fpp = 0.01;
  private long maxKeys = Growing.MAX_KEYS;
  private @Nullable Long seed;

  GrowingBuilder(KeyHasher<K> keys) {
    this.keys = Objects.requireNonNull(keys, "keys");
  }

  /**
   * Sets the false positive probability, at every size {@linkplain #upTo up to} the largest; 1 % if
   * nothing is said. It holds for keys that are put; {@linkplain MergeableFilter#merge merging}
   * adds up the fpp of both filters.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public GrowingBuilder<K> fpp(double value) {
    fpp = Parameters.probability("fpp", value);
    return this;
  }

  /**
   * Sets how many keys the fpp must hold for; 2^40 by default. The filter goes on growing past it,
   * and its fpp slowly with it.
   *
   * <p>The price: old keys have shorter fingerprints, so new ones must have longer ones, by the
   * logarithm of half the number of doublings. Up to 2^40 that is four bits a key, up to a million
   * three.
   *
   * @param value at most 2^50
   * @return this
   */
  public GrowingBuilder<K> upTo(long value) {
    maxKeys = Parameters.atMost("upTo", 1L << 50, Parameters.positive("upTo", value));
    return this;
  }

  /**
   * Fixes the seed of the hash function. Only filters of one seed can be {@linkplain
   * MergeableFilter#merge merged}. Otherwise it is random.
   *
   * @param value any number
   * @return this
   */
  public GrowingBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Sizes the filter for the time when it has a number of keys. It doubles part by part, so it
   * takes up to twice the bits a key of its fullest moment.
   *
   * @param count how many keys
   * @return the size then
   */
  public FilterPlan plan(long count) {
    return GrowingFilter.plan(Parameters.positive("keys", count), maxKeys, reachable());
  }

  /**
   * Builds an empty filter on the heap. Keys can be removed too. It may be used by any number of
   * threads at once; putting and removing lock a small part of it, asking locks nothing, and no put
   * moves more than some thousand keys.
   *
   * @return the filter
   */
  public MergeableFilter<K> build() {
    return GrowingFilter.empty(
        new FilterSpec<>(keys, Parameters.seedOrRandom(seed), maxKeys, reachable()));
  }

  private double reachable() {
    return Parameters.reachable(maxKeys, fpp);
  }
}
