package io.woodbird.redis;

import io.woodbird.key.KeyHasher;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Filters in Redis, Valkey or Redis Cluster, shared by all machines that open them.
 *
 * <pre>{@code
 * WoodbirdRedis redis = WoodbirdRedis.using(client);
 * RedisBloomFilter<String> seen = redis.bloom("seen:urls", Keys.strings(), 10_000_000).fpp(0.001).open();
 * seen.put("crow");
 * }</pre>
 *
 * <p>The client is the user's own: of Jedis 8 a {@code RedisClient} or {@code RedisClusterClient},
 * of Lettuce a {@code RedisClient} or {@code RedisClusterClient}. No server module is needed; the
 * server must be Redis 7 or newer, or Valkey, and must allow scripts.
 */
public final class WoodbirdRedis implements AutoCloseable {
  private final Link link;
  private final Duration timeout;
  private final Consumer<RedisEvent> listener;

  private WoodbirdRedis(Link link, Duration timeout, Consumer<RedisEvent> listener) {
    this.link = link;
    this.timeout = timeout;
    this.listener = listener;
  }

  /**
   * Uses a client, with a time-out of two seconds for each call.
   *
   * @param client of Jedis or Lettuce; stays the caller's to close
   * @return the way to filters
   */
  public static WoodbirdRedis using(AutoCloseable client) {
    return using(client, Duration.ofSeconds(2), event -> {});
  }

  /**
   * Uses a client.
   *
   * @param client of Jedis or Lettuce; stays the caller's to close
   * @param timeout how long a call may take; then a question is answered "unknown" and a put fails
   * @param listener is told what goes wrong and what is well again, by the thread that noticed
   * @return the way to filters
   * @throws IllegalArgumentException if the client is none of those named above
   */
  public static WoodbirdRedis using(
      AutoCloseable client, Duration timeout, Consumer<RedisEvent> listener) {
    Objects.requireNonNull(client, "client");
    Objects.requireNonNull(listener, "listener");
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException("timeout must be positive: " + timeout);
    }
    return new WoodbirdRedis(linkTo(client, timeout), timeout, listener);
  }

  /** Each library is named only by its own class, so that the other need not be there. */
  private static Link linkTo(AutoCloseable client, Duration timeout) {
    for (Class<?> type = client.getClass(); type != null; type = type.getSuperclass()) {
      if (type.getName().equals("redis.clients.jedis.UnifiedJedis")) {
        return JedisLink.of(client, timeout);
      }
      if (type.getName().equals("io.lettuce.core.AbstractRedisClient")) {
        return LettuceLink.of(client, timeout);
      }
    }
    throw new IllegalArgumentException(
        "client must be of Jedis or Lettuce: " + client.getClass().getName());
  }

  /**
   * A Bloom filter: takes keys from many machines, never gives one back.
   *
   * @param <K> the type of the keys
   * @param name of the filter; all who use it open the same
   * @param keys hashes the keys, see {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys the promised fpp must hold for
   * @return a builder
   */
  public <K> RedisBloomBuilder<K> bloom(String name, KeyHasher<K> keys, long expectedKeys) {
    return new RedisBloomBuilder<>(this, name, keys, expectedKeys);
  }

  Link link() {
    return link;
  }

  Duration timeout() {
    return timeout;
  }

  Consumer<RedisEvent> listener() {
    return listener;
  }

  /** Ends the connections that were made here; the client stays open. */
  @Override
  public void close() {
    link.close();
  }
}
