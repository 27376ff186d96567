package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The clock of a server was a year ahead when something was written, and was set back. */
class ClockTest {
  private static final List<Long> KEYS = LongStream.range(0, 100).boxed().toList();
  private static final String RECORD = "wbird:meta:f";
  private static final long YEAR = Duration.ofDays(365).toMillis();
  private static final RedisRebuild OPTIONS =
      new RedisRebuild(Clients.PATIENCE, Duration.ofHours(1), 1);

  private RedisServer server;
  private AutoCloseable client;
  private WoodbirdRedis redis;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    client = Clients.JEDIS.server(server.port());
    redis = Clients.patient(client);
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    client.close();
    server.close();
  }

  private static String inAYear(Duration later) {
    return Long.toString(System.currentTimeMillis() + YEAR + later.toMillis());
  }

  private RedisBloomBuilder<Long> builder() {
    return redis.bloom("f", Keys.longs(), 1000);
  }

  @Test
  void aLeaseOfThen_holdsNoBuildUp() {
    RedisBloomFilter<Long> filter = builder().create();
    Duration lease = Duration.ofSeconds(30);
    server.ask("HSET", RECORD, "lease", "dead", "leaseFrom", inAYear(Duration.ZERO));
    server.ask("HSET", RECORD, "leaseUntil", inAYear(lease));
    assertThat(filter.rebuild(KEYS::iterator, OPTIONS)).isPresent();
    String now = Long.toString(System.currentTimeMillis());
    server.ask("HSET", RECORD, "lease", "alive", "leaseFrom", now);
    server.ask("HSET", RECORD, "leaseUntil", Long.toString(Long.parseLong(now) + 600_000));
    assertThat(filter.rebuild(KEYS::iterator, OPTIONS)).isEmpty();
  }

  @Test
  void aMakerOfThen_isDead() {
    builder().create();
    String then = inAYear(Duration.ofSeconds(10));
    server.ask("HSET", RECORD, "state:1", "making", "maker", "dead", "until", then, "claim", then);
    for (Object shard : (List<?>) server.ask("KEYS", "wbird:{*}:f:1:*")) {
      server.ask("BITFIELD", shard.toString(), "SET", "i64", "384", then);
    }
    RedisBloomFilter<Long> filter = builder().create();
    filter.putAll(KEYS);
    assertThat(filter.candidates(KEYS)).isEqualTo(KEYS);
    assertThat(filter.ask(5_000L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void aGraceOfThen_isOver() {
    RedisBloomFilter<Long> filter = builder().create();
    assertThat(filter.rebuild(KEYS::iterator, OPTIONS)).isPresent();
    server.ask("HSET", RECORD, "graceFrom", inAYear(Duration.ZERO));
    server.ask("HSET", RECORD, "graceUntil", inAYear(Duration.ofHours(1)));
    filter.put(5_000L);
    assertThat(server.ask("HEXISTS", RECORD, "previous")).isEqualTo(0L);
  }

  /** Changes when each part of a window took something last, and when the newest one began. */
  private void moveTimes(long millis) {
    for (Object key : (List<?>) server.ask("KEYS", "wbird:{*}:f:1:*")) {
      String shard = key.toString();
      long state = 8 * ((long) server.ask("STRLEN", shard) - 88);
      for (int i = 1; i < 11; i++) {
        String at = Long.toString(state + 64 * i);
        Object before = ((List<?>) server.ask("BITFIELD_RO", shard, "GET", "i64", at)).get(0);
        if (i != 2 && !before.equals(0L)) { // The third number counts keys.
          server.ask("BITFIELD", shard, "INCRBY", "i64", at, Long.toString(millis));
        }
      }
    }
  }

  @Test
  void keysOfAWindowOfThen_expire() throws Exception {
    RedisFilter<Long> filter =
        redis.window("f", Keys.longs(), 100, Duration.ofMillis(500)).create();
    filter.putAll(KEYS);
    moveTimes(YEAR);
    long[] next = {1_000};
    RedisCluster.until(
        () -> {
          long begin = System.nanoTime();
          filter.put(next[0]);
          boolean stays = filter.mightContain(next[0]);
          boolean late = System.nanoTime() - begin > Duration.ofMillis(500).toNanos();
          assertThat(stays || late).as("it is kept for the window").isTrue();
          next[0]++;
          return filter.candidates(KEYS).size() < 10;
        });
  }

  @Test
  void theTimeOfAWindow_doesNotLeapWhenTheClockIsRightAgain() {
    RedisFilter<Long> filter = redis.window("f", Keys.longs(), 100, Duration.ofHours(1)).create();
    filter.putAll(KEYS);
    moveTimes(YEAR); // The clock goes back by a year,
    filter.putAll(KEYS);
    moveTimes(-YEAR); // and forward again.
    filter.putAll(LongStream.range(1_000, 1_100).boxed().toList());
    assertThat(filter.candidates(KEYS)).isEqualTo(KEYS);
  }
}
