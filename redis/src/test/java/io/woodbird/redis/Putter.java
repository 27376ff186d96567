package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.Keys;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import redis.clients.jedis.RedisClient;

/** A process that puts keys into a filter, and says which were new. */
final class Putter {
  static final int KEYS = 1000;

  private static final int PROCESSES = 4;

  private Putter() {}

  /** The filters that processes put into. */
  enum Kind {
    WINDOW,
    GROWING
  }

  /** A key counts again when another process puts it after the part of the first was full. */
  static RedisBuilder<Long, RedisFilter<Long>> window(WoodbirdRedis redis) {
    return redis.window("w", Keys.longs(), PROCESSES * KEYS, Duration.ofHours(1)).fpp(0.01);
  }

  /** Has room for a tenth of the keys at first. */
  static RedisBuilder<Long, RedisFilter<Long>> growing(WoodbirdRedis redis) {
    return redis.growing("g", Keys.longs(), KEYS / 10).fpp(0.01);
  }

  /** Lets four processes put the same keys; returns those that were new, each to one of them. */
  static Set<String> fourProcesses(int port, Kind kind) throws Exception {
    List<Process> putters = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      putters.add(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx128m",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Putter.class.getName(),
                  "" + port,
                  "" + i,
                  "" + kind)
              .redirectErrorStream(true)
              .start());
    }
    Set<String> fresh = new HashSet<>();
    int processes = 0;
    for (Process putter : putters) {
      String said = new String(putter.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(putter.waitFor()).as(said).isZero();
      List<String> mine = said.lines().toList();
      processes += mine.isEmpty() ? 0 : 1;
      for (String key : mine) {
        assertThat(fresh.add(key)).as("new twice: %s", key).isTrue();
      }
    }
    assertThat(processes).isPositive();
    // All but false positives: 1 % at most.
    assertThat(fresh.size()).isGreaterThan(KEYS * 97 / 100);
    return fresh;
  }

  public static void main(String[] args) {
    try (RedisClient client = RedisClient.create("127.0.0.1", Integer.parseInt(args[0]));
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter =
          Kind.valueOf(args[2]) == Kind.WINDOW ? window(redis).open() : growing(redis).open();
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
