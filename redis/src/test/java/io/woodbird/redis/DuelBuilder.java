package io.woodbird.redis;

import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import redis.clients.jedis.RedisClient;

/** A process that builds a filter anew, again and again, until it is killed. */
final class DuelBuilder {
  static final long KEYS = 50_000;

  private DuelBuilder() {}

  static RedisBloomFilter<Long> open(WoodbirdRedis redis) {
    return redis.bloom("duel", Keys.longs(), KEYS).fpp(0.001).seed(4).create();
  }

  /** The source: all numbers up to the one that stands in Redis. A writer raises it, then puts. */
  static LongStream database(RedisClient client) {
    return LongStream.range(0, Long.parseLong(client.get("database")));
  }

  public static void main(String[] args) {
    try (RedisClient client = RedisClient.create("127.0.0.1", Integer.parseInt(args[0]));
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = open(redis);
      long leaseMillis = 300;
      while (true) {
        RedisRebuild options =
            new RedisRebuild(Duration.ofMillis(leaseMillis), Duration.ofMillis(100), 0);
        AtomicBoolean built = new AtomicBoolean();
        try {
          OptionalLong won =
              filter.rebuild(
                  () -> {
                    built.set(true);
                    return database(client).iterator();
                  },
                  options);
          if (won.isPresent()) {
            System.out.println("won " + won.getAsLong());
          } else if (built.get()) {
            leaseMillis = Math.min(3_000, leaseMillis + 100); // Too slow, on a busy machine.
          }
        } catch (RedisFilterException e) {
          System.out.println("failed " + e.getMessage());
        }
      }
    }
  }
}
