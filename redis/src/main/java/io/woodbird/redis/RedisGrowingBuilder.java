package io.woodbird.redis;

import io.woodbird.key.KeyHasher;
import io.woodbird.redis.layout.Generation;

/**
 * Opens a filter in Redis that grows with its keys. Made by {@link WoodbirdRedis#growing}.
 *
 * <p>It begins with room for the expected keys. When a shard is full, the next put into it adds a
 * level with four times the room of the level before, up to seven times. So the fpp holds for at
 * least 21,845 times the expected keys, unless a shard would need more than 512 MB, the most that
 * Redis allows (for 100 million expected keys: 85 times as many). More keys raise the fpp, which
 * {@code stats()} shows.
 *
 * <p>{@code put} is one round trip, or two if another machine has added a level since. A question
 * is one round trip, which reads one block of each level.
 *
 * <p>{@code save} writes the file of a window that keeps its keys for a hundred years: a window is
 * eight filters in one, and each level becomes one of them. The file takes eight times the bytes of
 * the largest level, and its statistics count the keys of smaller levels more than once.
 *
 * @param <K> the type of the keys
 */
public final class RedisGrowingBuilder<K>
    extends RedisBuilder<K, RedisFilter<K>, RedisGrowingBuilder<K>> {
  RedisGrowingBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    super(redis, name, keys, expectedKeys, LEAST_OF_ONE_BLOCK);
  }

  @Override
  RedisGrowingBuilder<K> self() {
    return this;
  }

  @Override
  RedisFilter<K> open(boolean create) {
    Generation wanted = Generation.growing(redis.time(), expectedKeys, fpp, keys.id());
    return new RedisGrowing<>(open(wanted, false, create), keys);
  }
}
