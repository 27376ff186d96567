package io.woodbird.redis;

import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.stream.LongStream;
import redis.clients.jedis.RedisClient;

/** A process that builds a filter anew, again and again, until it is killed. */
final class DuelBuilder {
  static final long KEYS = 50_000;
  static final RedisRebuild OPTIONS =
      new RedisRebuild(Duration.ofMillis(300), Duration.ofMillis(100), 0);

  private DuelBuilder() {}

  static RedisBloomFilter<Long> open(WoodbirdRedis redis) {
    return redis.bloom("duel", Keys.longs(), KEYS).fpp(0.001).seed(4).open();
  }

  /** The source: all numbers up to the one that stands in Redis. A writer raises it, then puts. */
  static LongStream database(RedisClient client) {
    return LongStream.range(0, Long.parseLong(client.get("database")));
  }

  public static void main(String[] args) {
    try (RedisClient client = RedisClient.create("127.0.0.1", Integer.parseInt(args[0]));
        WoodbirdRedis redis = WoodbirdRedis.using(client)) {
      RedisBloomFilter<Long> filter = open(redis);
      while (true) {
        try {
          filter
              .rebuild(() -> database(client).iterator(), OPTIONS)
              .ifPresent(generation -> System.out.println("won " + generation));
        } catch (RedisFilterException e) {
          System.out.println("failed " + e.getMessage());
        }
      }
    }
  }
}
