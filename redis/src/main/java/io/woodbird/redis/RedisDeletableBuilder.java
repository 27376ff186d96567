package io.woodbird.redis;

import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.layout.Generation;

/**
 * Opens a filter in Redis that gives keys back. Made by {@link WoodbirdRedis#deletable}.
 *
 * @param <K> the type of the keys
 */
public final class RedisDeletableBuilder<K>
    extends RedisBuilder<K, RedisDeletableFilter<K>, RedisDeletableBuilder<K>> {
  RedisDeletableBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    super(redis, name, keys, expectedKeys, LEAST_OF_ONE_BLOCK);
  }

  @Override
  RedisDeletableBuilder<K> self() {
    return this;
  }

  @Override
  RedisDeletableFilter<K> open(boolean create) {
    BlockedBloom layout =
        BlockedBloomSize.forFpp(expectedKeys, fpp, oneBlock(BlockShape.forFpp(fpp)));
    Generation wanted =
        Generation.first(redis.time(), expectedKeys, fpp, layout, null, keys.id(), 4, false, 0);
    return new RedisCounting<>(open(wanted, false, create), keys);
  }

  /** The shape, or the best of those with one block for a key. */
  static BlockShape oneBlock(BlockShape shape) {
    return shape.blocks() == 1 ? shape : BlockShape.FOUR_2;
  }
}
