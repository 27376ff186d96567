package io.woodbird.redis;

import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.Generational;
import io.woodbird.redis.layout.Generation;
import io.woodbird.time.TimeSpan;
import java.time.Duration;

/**
 * Opens a window in Redis: a filter whose keys expire. Made by {@link WoodbirdRedis#window}.
 *
 * <p>Which keys it never denies, at any moment and to any machine: every key of which a put has
 * returned that was called less than the duration ago, as long as the filter is not in doubt. A key
 * that is put again counts from its last put. {@code put} says whether the key is new, in one round
 * trip: of all machines that put a key that is not in the window, one hears "new".
 *
 * <p>The time is that of the server that has the key, to the millisecond. If its clock goes back,
 * keys stay longer. If it leaps forward, or if a server takes over whose clock is ahead, keys leave
 * earlier by as much: let the servers keep their clocks with NTP.
 *
 * <p>A key is forgotten some time later: up to a seventh of the duration, and later still while
 * nothing is put into its shard. More keys than expected never shorten the window: they raise the
 * fpp, which {@code stats()} shows. A key that is put again in a later seventh of the window counts
 * again.
 *
 * <p>All bits of a key lie in one block, so that a put is one step. At 1 % that takes 3 % more
 * memory than a window on the heap, at 0.1 % 15 % more.
 *
 * @param <K> the type of the keys
 */
public final class RedisWindowBuilder<K>
    extends RedisBuilder<K, RedisFilter<K>, RedisWindowBuilder<K>> {
  private static final long LEAST_MILLIS = 100;

  private final long spanMillis;

  RedisWindowBuilder(
      WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys, Duration duration) {
    super(redis, name, keys, expectedKeys, LEAST_OF_ONE_BLOCK);
    this.spanMillis = TimeSpan.atLeastMillis("duration", LEAST_MILLIS, duration).toMillis();
    Woodbird.window(keys, expectedKeys, duration); // Checks.
  }

  @Override
  RedisWindowBuilder<K> self() {
    return this;
  }

  @Override
  RedisFilter<K> open(boolean create) {
    double each = fpp / Generational.COUNT;
    BlockShape shape = RedisDeletableBuilder.oneBlock(BlockShape.forFpp(each));
    BlockedBloom layout =
        BlockedBloomSize.forFpp(Generational.generationKeys(expectedKeys), each, shape);
    Generation wanted =
        Generation.first(
            redis.time(),
            expectedKeys,
            fpp,
            layout,
            null,
            keys.id(),
            Generation.WINDOW_BITS,
            false,
            spanMillis);
    return new RedisWindow<>(open(wanted, false, create), keys);
  }
}
