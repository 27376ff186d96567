package io.woodbird.redis;

import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.Generational;
import io.woodbird.redis.layout.Generation;
import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

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
 * fpp, which {@code stats()} shows.
 *
 * @param <K> the type of the keys
 */
public final class RedisWindowBuilder<K> {
  private static final double LEAST_FPP = 0.001;
  private static final long LEAST_MILLIS = 100;

  private final WoodbirdRedis redis;
  private final String name;
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private final long spanMillis;
  private double fpp = 0.01;
  private @Nullable Durability durability;

  RedisWindowBuilder(
      WoodbirdRedis redis, String name, KeyHasher<K> keys, long expectedKeys, Duration duration) {
    this.redis = redis;
    this.name = Objects.requireNonNull(name, "name");
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = expectedKeys;
    this.spanMillis = TimeSpan.atLeastMillis("duration", LEAST_MILLIS, duration).toMillis();
    if (name.isEmpty()) {
      throw new IllegalArgumentException("name must not be empty");
    }
    Woodbird.window(keys, expectedKeys, duration); // Checks.
  }

  /**
   * Sets the false positive probability that the filter keeps while at most the expected number of
   * keys lie in the window; 1 % if nothing is said. A key that is put again in a later seventh of
   * the window counts again.
   *
   * @param value at least 0.001, below 1: all bits of a key lie in one block, so that a put is one
   *     step. At 1 % that takes 3 % more memory than a window on the heap, at 0.1 % 15 % more
   * @return this
   */
  public RedisWindowBuilder<K> fpp(double value) {
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
  public RedisWindowBuilder<K> durability(Durability value) {
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
  public RedisFilter<K> open() {
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
  public RedisFilter<K> create() {
    return open(true);
  }

  private RedisFilter<K> open(boolean create) {
    double each = fpp / Generational.COUNT;
    BlockShape shape = BlockShape.forFpp(each);
    BlockedBloom layout =
        BlockedBloomSize.forFpp(
            Generational.generationKeys(expectedKeys),
            each,
            shape.blocks() == 1 ? shape : BlockShape.FOUR_2);
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
    return new RedisWindow<>(redis.open(name, wanted, false, create, durability, false), keys);
  }
}
