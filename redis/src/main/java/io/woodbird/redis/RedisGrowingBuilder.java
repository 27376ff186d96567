package io.woodbird.redis;

import io.woodbird.key.KeyHasher;
import io.woodbird.redis.layout.Generation;

/**
 * Opens a filter in Redis that grows with its keys. Made by {@link WoodbirdRedis#growing}.
 *
 * <p>It begins with room for the expected keys. Each of its parts, by itself and in the put that
 * needs it, gets four times as much again when it is full, up to seven times: so the fpp holds for
 * at least 21,845 times the expected keys, unless a part would have more than 512 MB, the most that
 * Redis allows (for 100 million expected keys: 85 times as many). More keys raise the fpp, which
 * {@code stats()} shows.
 *
 * <p>{@code put} is one round trip, and one more when another machine let the filter grow since. A
 * question is one round trip, and looks at one block for each time that it has grown.
 *
 * <p>A file that it is saved to is one of a window that keeps its keys for a hundred years, as that
 * is eight filters in one. It takes eight times the bytes of the largest level, and counts the keys
 * of smaller levels more than once in its statistics.
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
