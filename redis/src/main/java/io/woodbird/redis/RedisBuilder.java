package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.proof.Shared;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens or makes a filter in Redis. Made by {@link WoodbirdRedis}.
 *
 * @param <K> the type of the keys
 * @param <F> the type of the filter
 */
public sealed class RedisBuilder<K, F extends RedisFilter<K>> permits RedisBloomBuilder {
  /** The lowest fpp where all bits of a key are in one block: a lower one takes too much memory. */
  static final double LEAST_OF_ONE_BLOCK = 0.001;

  private final WoodbirdRedis redis;
  private final String name;
  private final double leastFpp;
  private final Function<RedisBuilder<K, F>, GenerationSpec> wanted;
  private final BiFunction<Shared, RedisBuilder<K, F>, F> filter;
  final KeyHasher<K> keys;
  final long expectedKeys;
  double fpp = 0.01;
  private @Nullable Durability durability;

  // What only a Bloom filter can be asked for; null where nothing was said.
  @Nullable Long seed;
  @Nullable Duration nearLag;
  boolean hollow;

  /**
   * Makes one.
   *
   * @param wanted the first generation
   */
  RedisBuilder(
      WoodbirdRedis redis,
      String name,
      KeyHasher<K> keys,
      long expectedKeys,
      double leastFpp,
      Function<RedisBuilder<K, F>, GenerationSpec> wanted,
      BiFunction<Shared, RedisBuilder<K, F>, F> filter) {
    this.redis = redis;
    this.name = Objects.requireNonNull(name, "name");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = expectedKeys;
    this.leastFpp = leastFpp;
    this.wanted = wanted;
    this.filter = filter;
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
    Woodbird.bloom(keys, expectedKeys); // Checks.
  }

  /**
   * Sets the false positive probability that the filter keeps up to the expected number of keys; 1
   * % if nothing is said.
   *
   * @param value below 1; above 0 for a Bloom filter, at least 0.001 for all others: there all bits
   *     of a key are in one block, so that a removal, or a put into a window, is one step
   * @return this
   */
  public RedisBuilder<K, F> fpp(double value) {
    Woodbird.bloom(keys, expectedKeys).fpp(value); // Checks.
    if (value < leastFpp) {
      throw new IllegalArgumentException("fpp must be at least " + leastFpp + ": " + value);
    }
    fpp = value;
    return this;
  }

  /**
   * Sets when a put counts as done. The level belongs to the filter: it can't be opened with
   * another one.
   *
   * @param value if nothing is said, {@link Durability#master()} for a new filter, and its own for
   *     one that is there
   * @return this
   */
  public RedisBuilder<K, F> durability(Durability value) {
    durability = redis.checked(value);
    return this;
  }

  /**
   * Opens the filter, and makes none. A filter whose record is missing was never made, or is lost.
   * Which of the two can't be known, so this call makes no filter.
   *
   * @return the filter
   * @throws IncompatibleFilterException if it has other parameters; the message shows both
   * @throws RedisFilterException if there is none, or if it can't be reached
   */
  public F open() {
    return open(false);
  }

  /**
   * Makes the filter, empty, or opens it if there is one of this name with the same parameters. To
   * be called once, where a filter is set up: if the server lost it, this makes an empty one, which
   * denies every key that was put before.
   *
   * @return the filter
   * @throws IncompatibleFilterException if there is one with other parameters; the message shows
   *     both
   * @throws RedisFilterException if it can't be reached, or if parts of a lost one are in the way
   */
  public F create() {
    return open(true);
  }

  F open(boolean create) {
    return filter.apply(
        redis.open(name, wanted.apply(this), seed != null, create, durability, false), this);
  }
}
