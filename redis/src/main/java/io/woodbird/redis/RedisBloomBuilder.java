package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.time.TimeSpan;
import java.time.Duration;

/**
 * Opens a Bloom filter in Redis. Made by {@link WoodbirdRedis#bloom}.
 *
 * @param <K> the type of the keys
 */
public final class RedisBloomBuilder<K> extends RedisBuilder<K, RedisBloomFilter<K>> {
  RedisBloomBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    super(
        redis,
        name,
        keys,
        expectedKeys,
        0,
        my ->
            GenerationSpec.bloom(
                redis.time(), my.expectedKeys, my.fpp, my.seed, my.keys.id(), my.hollow),
        (shared, my) -> new RedisBloom<>(shared, my.keys, my.nearLag));
  }

  @Override
  public RedisBloomBuilder<K> fpp(double value) {
    super.fpp(value);
    return this;
  }

  @Override
  public RedisBloomBuilder<K> durability(Durability value) {
    super.durability(value);
    return this;
  }

  /**
   * Fixes the seed of the hash function, for filters that are to be united with others. Without
   * this a new filter gets a random one, and one that is there keeps its own.
   *
   * @param value any number
   * @return this
   */
  public RedisBloomBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Keeps a copy of the filter in this process, fed by streams: "maybe" is answered from it at
   * once, "not here" is confirmed by Redis. All writers of the filter feed the streams from then
   * on.
   *
   * @return this
   */
  public RedisBloomBuilder<K> near() {
    nearLag = Duration.ZERO;
    return this;
  }

  /**
   * Keeps a copy of the filter in this process, and answers "not here" from it too, as long as it
   * is known to hold every put that was done so long ago. Puts of other clients that are younger
   * may be denied: choose this only where that does no harm.
   *
   * @param lag how old the copy may be for that; when it is older, Redis is asked
   * @return this
   */
  public RedisBloomBuilder<K> near(Duration lag) {
    nearLag = TimeSpan.atLeastMillis("lag", 1, lag);
    return this;
  }

  /**
   * Makes a filter that denies nothing before its first {@link RedisBloomFilter#rebuild}, or opens
   * the one that is there.
   *
   * @return the filter
   * @throws IncompatibleFilterException if there is one with other parameters; the message shows
   *     both
   * @throws RedisFilterException if it can't be reached, or if parts of a lost one are in the way
   */
  public RedisBloomFilter<K> createUnbuilt() {
    hollow = true;
    try {
      return open(true);
    } finally {
      hollow = false;
    }
  }
}
