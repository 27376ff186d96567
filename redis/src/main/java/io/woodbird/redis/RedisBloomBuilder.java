package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.layout.Generation;
import io.woodbird.redis.proof.Shared;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Opens a Bloom filter in Redis. Made by {@link WoodbirdRedis#bloom}.
 *
 * @param <K> the type of the keys
 */
public final class RedisBloomBuilder<K> {
  private final WoodbirdRedis redis;
  private final String name;
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private double fpp = 0.01;
  private @Nullable Long seed;
  private @Nullable Durability durability;
  private @Nullable Duration nearLag;

  RedisBloomBuilder(WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys) {
    this.redis = redis;
    this.name = Objects.requireNonNull(name, "name");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = expectedKeys;
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
    Woodbird.bloom(keys, expectedKeys); // Checks.
  }

  /**
   * Sets the false positive probability that the filter keeps up to the expected number of keys; 1
   * % if nothing is said.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public RedisBloomBuilder<K> fpp(double value) {
    Woodbird.bloom(keys, expectedKeys).fpp(value); // Checks.
    fpp = value;
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
   * Sets when a put counts as done. The level belongs to the filter: who opens it with another one
   * is refused.
   *
   * @param value if nothing is said, {@link Durability#master()} for a new filter, and its own for
   *     one that is there
   * @return this
   */
  public RedisBloomBuilder<K> durability(Durability value) {
    durability = redis.checked(value);
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
   * Opens the filter, and makes none. A filter whose record is missing was never made, or is lost:
   * whoever opens it can't tell, so it is not made anew here.
   *
   * @return the filter
   * @throws IncompatibleFilterException if it has other parameters; the message shows both
   * @throws RedisFilterException if there is none, or if it can't be reached
   */
  public RedisBloomFilter<K> open() {
    return open(false, false);
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
  public RedisBloomFilter<K> create() {
    return open(true, false);
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
    return open(true, true);
  }

  private RedisBloom<K> open(boolean create, boolean hollow) {
    BlockedBloom layout = BlockedBloomSize.forFpp(expectedKeys, fpp);
    Generation wanted =
        Generation.first(redis.time(), expectedKeys, fpp, layout, seed, keys.id(), 1, hollow, 0);
    Shared shared = redis.open(name, wanted, seed != null, create, durability, false);
    return new RedisBloom<>(shared, keys, nearLag);
  }
}
