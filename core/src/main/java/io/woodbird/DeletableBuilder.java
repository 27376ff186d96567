package io.woodbird;

import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.CountingBloomFilter;
import io.woodbird.filter.quotient.QuotientFilter;
import io.woodbird.key.KeyHasher;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Builds filters whose keys can be removed. Made by {@link Woodbird#deletable}.
 *
 * @param <K> the type of the keys
 */
public final class DeletableBuilder<K> {
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private double fpp = 0.01;
  private boolean counting;
  private @Nullable Long seed;

  DeletableBuilder(KeyHasher<K> keys, long expectedKeys) {
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = Parameters.positive("expectedKeys", expectedKeys);
  }

  /**
   * Sets the false positive probability up to the expected number of keys; 1 % by default.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public DeletableBuilder<K> fpp(double value) {
    fpp = Parameters.reachable(expectedKeys, Parameters.probability("fpp", value));
    return this;
  }

  /**
   * Chooses a counting Bloom filter: four-bit counters where a Bloom filter has bits, four times
   * its size. A counter that has reached 15 stays there for ever, so it never denies a key that is
   * still in, but may keep one that was removed. It is never full; its fpp rises instead.
   *
   * <p>Without this the filter is a quotient filter, which is the smallest, counts exactly ({@link
   * FilterStats#estimatedKeys}), and refuses a key when it is full.
   *
   * @return this
   */
  public DeletableBuilder<K> counting() {
    counting = true;
    return this;
  }

  /**
   * Fixes the seed of the hash function. Only filters of one seed can be {@linkplain
   * MergeableFilter#merge merged}. Otherwise it is random.
   *
   * @param value any number
   * @return this
   */
  public DeletableBuilder<K> seed(long value) {
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
    return counting
        ? CountingBloomFilter.plan(expectedKeys, fpp)
        : QuotientFilter.plan(expectedKeys, fpp);
  }

  /**
   * Builds an empty filter on the heap. It may be used by any number of threads at once; putting
   * and removing lock a small part of it, asking locks nothing.
   *
   * @return the filter
   * @throws IllegalArgumentException if no filter can be so large
   */
  public MergeableFilter<K> build() {
    FilterSpec<K> spec = new FilterSpec<>(keys, Parameters.seedOrRandom(seed), expectedKeys, fpp);
    return counting ? CountingBloomFilter.empty(spec) : QuotientFilter.empty(spec);
  }
}
