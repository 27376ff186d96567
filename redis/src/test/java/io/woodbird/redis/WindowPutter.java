package io.woodbird.redis;

import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import redis.clients.jedis.RedisClient;

/** A process that puts keys into a window, and says which were new. */
final class WindowPutter {
  static final int KEYS = 1000;

  /** A key counts again when another process puts it after the part of the first was full. */
  private static final int PROCESSES = 4;

  private WindowPutter() {}

  static RedisWindowBuilder<Long> window(WoodbirdRedis redis) {
    return redis.window("w", Keys.longs(), PROCESSES * KEYS, Duration.ofHours(1)).fpp(0.01);
  }

  public static void main(String[] args) {
    try (RedisClient client = RedisClient.create("127.0.0.1", Integer.parseInt(args[0]));
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = window(redis).open();
      List<Long> keys = new ArrayList<>(LongStream.range(0, KEYS).boxed().toList());
      Collections.shuffle(keys, new Random(Long.parseLong(args[1])));
      StringBuilder fresh = new StringBuilder();
      for (long key : keys) {
        if (filter.put(key)) {
          fresh.append(key).append('\n');
        }
      }
      System.out.print(fresh);
    }
  }
}
