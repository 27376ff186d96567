package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Opens a Bloom filter in Redis. Made by {@link WoodbirdRedis#bloom}.
 *
 * @param <K> the type of the keys
 */
public final class RedisBloomBuilder<K> extends RedisBuilder<K, RedisBloomFilter<K>> {
  /** What only a Bloom filter can be asked for; null where nothing was said. */
  private static final class Choices {
    @Nullable Long seed;
    @Nullable Duration nearLag;
    boolean hollow;
  }

  private final Choices choices;

  RedisBloomBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    this(redis, name, keys, expectedKeys, new Choices());
  }

  private RedisBloomBuilder(
      WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys, Choices choices) {
    super(
        redis,
        name,
        keys,
        expectedKeys,
        0,
        fpp ->
            GenerationSpec.bloom(
                redis.time(), expectedKeys, fpp, choices.seed, keys.id(), choices.hollow),
        (shared, hasher) -> new RedisBloom<>(shared, hasher, choices.nearLag));
    this.choices = choices;
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
    choices.seed = value;
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
    choices.nearLag = Duration.ZERO;
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
    choices.nearLag = TimeSpan.atLeastMillis("lag", 1, lag);
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
    choices.hollow = true;
    try {
      return open(true);
    } finally {
      choices.hollow = false;
    }
  }

  @Override
  boolean hasSeed() {
    return choices.seed != null;
  }
}
