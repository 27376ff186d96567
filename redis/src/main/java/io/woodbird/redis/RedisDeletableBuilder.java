package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.layout.Generation;
import io.woodbird.redis.proof.Shared;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens a filter in Redis that gives keys back. Made by {@link WoodbirdRedis#deletable}.
 *
 * @param <K> the type of the keys
 */
public final class RedisDeletableBuilder<K> {
  private static final double LEAST_FPP = 0.001;

  private final WoodbirdRedis redis;
  private final String name;
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private double fpp = 0.01;
  private @Nullable Durability durability;

  RedisDeletableBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    this.redis = redis;
    this.name = Objects.requireNonNull(name, "name");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = expectedKeys;
    Woodbird.bloom(keys, expectedKeys); // Checks.
  }

  /**
   * Sets the false positive probability that the filter keeps up to the expected number of keys; 1
   * % if nothing is said.
   *
   * @param value at least 0.001, below 1: all counters of a key lie in one block, so that a removal
   *     is one step
   * @return this
   */
  public RedisDeletableBuilder<K> fpp(double value) {
    Woodbird.bloom(keys, expectedKeys).fpp(value); // Checks.
    if (value < LEAST_FPP) {
      throw new IllegalArgumentException("fpp must be at least " + LEAST_FPP + ": " + value);
    }
    fpp = value;
    return this;
  }

  /**
   * Sets when a put counts as done. See {@link RedisBloomBuilder#durability}.
   *
   * @param value the level
   * @return this
   */
  public RedisDeletableBuilder<K> durability(Durability value) {
    durability = redis.checked(value);
    return this;
  }

  /**
   * Opens the filter, and makes none.
   *
   * @return the filter
   * @throws IncompatibleFilterException if it has other parameters; the message shows both
   * @throws RedisFilterException if there is none, or if it can't be reached
   */
  public RedisDeletableFilter<K> open() {
    return open(false);
  }

  /**
   * Makes the filter, empty, or opens it if there is one of this name with the same parameters. See
   * {@link RedisBloomBuilder#create}.
   *
   * @return the filter
   * @throws IncompatibleFilterException if there is one with other parameters; the message shows
   *     both
   * @throws RedisFilterException if it can't be reached, or if parts of a lost one are in the way
   */
  public RedisDeletableFilter<K> create() {
    return open(true);
  }

  private RedisDeletableFilter<K> open(boolean create) {
    BlockShape shape = BlockShape.forFpp(fpp);
    // The counters of a key must lie in one block; see fpp.
    BlockedBloom layout =
        BlockedBloomSize.forFpp(expectedKeys, fpp, shape.blocks() == 1 ? shape : BlockShape.FOUR_2);
    Generation wanted =
        Generation.first(redis.time(), expectedKeys, fpp, layout, null, keys.id(), 4, false, 0);
    Shared shared = redis.open(name, wanted, false, create, durability, false);
    return new RedisCounting<>(shared, keys);
  }
}
