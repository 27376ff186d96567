package io.woodbird.spark;

import java.io.Serializable;

/**
 * Makes a client of Redis on an executor. It is sent there, so it must not hold an open client.
 *
 * <pre>{@code
 * RedisConnector connector = () -> RedisClient.create("redis.example.com", 6379);
 * }</pre>
 */
@FunctionalInterface
public interface RedisConnector extends Serializable {
  /**
   * Makes a client. The task that called this closes it.
   *
   * @return a client of Jedis or Lettuce, see {@link io.woodbird.redis.WoodbirdRedis#using}
   * @throws Exception if there is no connection; Spark then runs the task again
   */
  AutoCloseable connect() throws Exception;
}
