package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A copy in the process: right within its lag, and never the last word beyond it. */
final class NearTest {
  private RedisServer server;
  private AutoCloseable client;
  private AutoCloseable second;
  private WoodbirdRedis redis;
  private WoodbirdRedis other;
  private RedisBloomFilter<Long> writer;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    client = Clients.JEDIS.server(server.port());
    second = Clients.LETTUCE.server(server.port());
    redis = Clients.patient(client);
    other = Clients.patient(second);
    writer = builder(redis).create();
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    other.close();
    client.close();
    second.close();
    server.close();
  }

  private static RedisBloomBuilder<Long> builder(WoodbirdRedis redis) {
    return redis.bloom("f", Keys.longs(), 50_000).fpp(0.001).seed(3);
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private long calls() {
    return List.of("getrange", "bitfield", "evalsha_ro").stream()
        .mapToLong(
            name -> {
              String line = server.info("commandstats", "cmdstat_" + name);
              return line.isEmpty()
                  ? 0
                  : Long.parseLong(line.replaceAll("calls=([0-9]+),.*", "$1"));
            })
        .sum();
  }

  @Test
  void strictAnswersMaybeLocallyAndAsksForEveryNo() {
    writer.putAll(range(0, 10_000));
    try (RedisBloomFilter<Long> near = builder(other).near().create()) {
      long before = calls();
      assertThat(near.candidates(range(0, 10_000))).hasSize(10_000);
      assertThat(calls() - before).as("no question went out").isLessThan(200);
      for (long key = 20_000; key < 21_000; key++) {
        writer.putLong(key);
        assertThat(near.mightContainLong(key)).isTrue();
      }
      writer.load(range(30_000, 31_000).iterator());
      assertThat(near.candidates(range(30_000, 31_000))).hasSize(1_000);
      assertThat(near.ask(-1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(near.candidates(List.of(-1L, 5L, -2L, 30_500L, -3L))).containsExactly(5L, 30_500L);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void boundedFollowsWithinItsLag(boolean pairs) throws Exception {
    Duration lag = Duration.ofMillis(200);
    RedisBloomBuilder<Long> builder =
        pairs ? other.bloom("g", Keys.longs(), 50_000).fpp(1e-6) : builder(other);
    RedisBloomFilter<Long> put =
        pairs ? redis.bloom("g", Keys.longs(), 50_000).fpp(1e-6).create() : writer;
    try (RedisBloomFilter<Long> near = builder.near(lag).create()) {
      for (int round = 0; round < 3; round++) {
        long from = 1_000L * round;
        put.putAll(range(from, from + 500));
        put.load(range(from + 500, from + 600).iterator());
        Thread.sleep(lag.toMillis() + 20);
        assertThat(near.candidates(range(from, from + 600))).hasSize(600);
      }
      RedisCluster.until(() -> near.health().nearLagMillis() < lag.toMillis());
      // A busy machine may let the copy grow too old in the middle: then Redis is asked, as it
      // must.
      RedisCluster.until(
          () -> {
            long before = calls();
            assertThat(near.candidates(range(1_000_000, 1_020_000))).hasSizeLessThan(100);
            return calls() - before < 2_000; // No question went out.
          });
    }
  }

  @Test
  void whoPutsAKeyIsNeverToldThatItIsNotHere() {
    try (RedisBloomFilter<Long> near = builder(other).near(Duration.ofMinutes(1)).create()) {
      for (long key = 0; key < 600; key++) {
        near.putLong(key);
        assertThat(near.ask(key)).isEqualTo(Answer.MAYBE_HERE);
      }
      near.putAll(range(2_000, 3_000));
      assertThat(near.candidates(range(2_000, 3_000))).hasSize(1_000);
      near.load(range(3_000, 4_000).iterator());
      assertThat(near.candidates(range(3_000, 4_000))).hasSize(1_000);
      RedisRebuild options = new RedisRebuild(Clients.PATIENCE, Duration.ofHours(1), 1);
      assertThat(writer.rebuild(() -> range(0, 4_000).iterator(), options)).isPresent();
      for (long key = 4_000; key < 4_600; key++) {
        near.putLong(key);
        assertThat(near.ask(key)).isEqualTo(Answer.MAYBE_HERE);
      }
    }
  }

  @Test
  void aCutLogIsNoticed() throws Exception {
    Duration lag = Duration.ofMillis(200);
    try (RedisBloomFilter<Long> near = builder(other).near(lag).create()) {
      writer.putAll(range(0, 100));
      for (Object log : (List<?>) server.ask("KEYS", "*:log")) {
        server.ask("DEL", "" + log);
      }
      writer.putAll(range(100, 200));
      Thread.sleep(lag.toMillis() + 50);
      assertThat(near.candidates(range(0, 200))).hasSize(200);
    }
  }

  @Test
  void whenTheFeedStopsRedisIsAskedAndWhenRedisStopsNothingIsDenied() throws Exception {
    Duration lag = Duration.ofMillis(200);
    // Lettuce keeps what it can't send until the time-out.
    Duration brief = Clients.brief(server, Duration.ofMillis(600));
    try (WoodbirdRedis hasty = WoodbirdRedis.using(second, brief, event -> {});
        RedisBloomFilter<Long> near = builder(hasty).near(lag).create()) {
      writer.putAll(range(0, 100));
      Thread.sleep(lag.toMillis() + 50);
      RedisCluster.until(() -> near.ask(-1L) == Answer.NOT_HERE);
      server.ask("FLUSHALL");
      Thread.sleep(lag.toMillis() + 50);
      assertThat(near.candidates(range(0, 100))).hasSize(100);
      assertThat(near.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      server.kill();
      Thread.sleep(lag.toMillis() + 50);
      assertThat(near.candidates(range(0, 100))).hasSize(100);
      assertThat(near.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    }
  }

  @Test
  void followsARebuild() throws Exception {
    Duration lag = Duration.ofMillis(200);
    writer.putAll(range(0, 1_000));
    try (RedisBloomFilter<Long> near = builder(other).near(lag).create()) {
      RedisRebuild options = new RedisRebuild(Clients.PATIENCE, Duration.ZERO, 1);
      assertThat(writer.rebuild(() -> range(500, 1_000).iterator(), options)).isPresent();
      writer.putLong(2_000L);
      writer.putLong(2_001L);
      Thread.sleep(lag.toMillis() + 100);
      assertThat(near.candidates(range(500, 1_000))).hasSize(500);
      assertThat(near.candidates(List.of(2_000L, 2_001L))).hasSize(2);
      RedisCluster.until(() -> near.candidates(range(0, 500)).size() < 10);
      for (long key = 3_000; key < 3_200; key++) {
        writer.putLong(key);
      }
      Thread.sleep(lag.toMillis() + 20);
      assertThat(near.candidates(range(3_000, 3_200))).hasSize(200);
    }
  }

  /** R6: of a put of two blocks, the first came before the copy, and the second after it. */
  @Test
  void aPutThatStraddlesTheCopyIsFed() throws Exception {
    Duration lag = Duration.ofMillis(200);
    List<RedisBloomFilter<Long>> near = new java.util.ArrayList<>();
    java.util.concurrent.atomic.AtomicInteger writes =
        new java.util.concurrent.atomic.AtomicInteger(-1_000_000);
    Link held =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          void before(Command command) {
            if (command.name == Command.Name.BITFIELD && writes.incrementAndGet() == 2) {
              near.add(builder(other).near(lag).open());
            }
          }
        };
    WoodbirdRedis slow = new WoodbirdRedis(held, Time.SYSTEM, Clients.PATIENCE, event -> {});
    RedisBloomFilter<Long> straddling = builder(slow).open();
    for (long key = 0; key < 20; key++) {
      writes.set(0);
      straddling.putLong(key);
      try (RedisBloomFilter<Long> copy = near.remove(0)) {
        for (int i = 0; i < 3; i++) {
          Thread.sleep(lag.toMillis() / 2);
          if (i > 1) {
            assertThat(copy.mightContainLong(key)).as("key %d", key).isTrue();
          }
        }
      }
    }
    slow.close();
  }

  /** R16: one log for the filter, bounded, ended with its last reader. */
  @Test
  void theLogIsBoundedAndEnds() {
    try (RedisBloomFilter<Long> near = builder(other).near().create()) {
      for (long from = 0; from < 300_000; from += 30_000) {
        writer.putAll(range(from, from + 30_000));
      }
      List<?> logs = (List<?>) server.ask("KEYS", "*:log");
      assertThat(logs).hasSize(1);
      Object bytes = server.ask("MEMORY", "USAGE", "" + logs.get(0));
      assertThat((Long) bytes).as("300,000 puts are 2.4 MB and more").isLessThan(3_000_000L);
      assertThat((Long) server.ask("PTTL", "" + logs.get(0))).isBetween(1L, 60_000L);
      assertThat(near.candidates(range(0, 300_000))).hasSize(300_000);
    }
    for (Object log : (List<?>) server.ask("KEYS", "*:log")) {
      server.ask("DEL", "" + log); // As after a minute without a reader.
    }
    writer.putAll(range(400_000, 410_000));
    String before = server.info("commandstats", "cmdstat_xadd");
    writer.putAll(range(410_000, 420_000));
    assertThat(server.info("commandstats", "cmdstat_xadd"))
        .as("nobody reads, so nobody adds")
        .isEqualTo(before);
    assertThat((List<?>) server.ask("KEYS", "*:log")).isEmpty();
  }

  /** A clock that moves only when something takes time, and runs no thread. */
  private static final class OwnTime implements Time {
    private final Time system = Time.SYSTEM;
    long nanos;
    long suspendedMillis;
    Step step = () -> -1;

    @Override
    public long nanoTime() {
      return nanos;
    }

    @Override
    public long wallMillis() {
      return nanos / 1_000_000 + suspendedMillis;
    }

    @Override
    public void pause(long time) {
      nanos += time;
    }

    @Override
    public long random() {
      return system.random();
    }

    @Override
    public Task repeat(String name, long firstNanos, Step task) {
      step = task;
      return () -> {};
    }
  }

  /** The log keeps some thousands of entries, here forty. A copy that takes longer reads it on. */
  @Test
  void aCopyThatTakesLongerThanItsLogLasts_isFollowedAllTheSame() {
    OwnTime time = new OwnTime();
    RedisBloomFilter<Long> big = redis.bloom("big", Keys.longs(), 12_000_000).fpp(0.01).create();
    List<Long> put = new ArrayList<>();
    Link slow =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          void before(Command command) {
            if (isWholeShard(command)) {
              time.nanos += 300_000_000;
              big.putLong(put.size());
              put.add((long) put.size());
              for (Object log : (List<?>) server.ask("KEYS", "*big:*:log")) {
                server.ask("XTRIM", "" + log, "MAXLEN", "=", "40");
              }
            }
          }
        };
    try (WoodbirdRedis way = new WoodbirdRedis(slow, time, Clients.PATIENCE, event -> {});
        RedisBloomFilter<Long> near =
            way.bloom("big", Keys.longs(), 12_000_000).fpp(0.01).near(Duration.ofHours(1)).open()) {
      assertThat(put).as("more than the log keeps").hasSizeGreaterThan(40);
      long unused = time.step.run();
      assertThat(near.health().nearLagMillis()).as("copied, and then read on").isZero();
      long before = calls();
      assertThat(near.candidates(put)).isEqualTo(put);
      assertThat(near.ask(-1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(calls()).as("answered from the copy").isEqualTo(before);
    }
  }

  /** Whether it reads a shard from byte 64 on: all blocks. */
  private static boolean isWholeShard(Command command) {
    return command.name == Command.Name.GETRANGE
        && command.arguments.length == 3
        && command.arguments[1].length == 2
        && command.arguments[1][0] == '6';
  }

  /** A suspended machine has a clock that stands still: what was put meanwhile is not denied. */
  @Test
  void afterTheMachineWasSuspendedRedisIsAsked() {
    OwnTime time = new OwnTime();
    Link link = new RoutedLink(JedisWire.of(client), Clients.PATIENCE);
    try (WoodbirdRedis way = new WoodbirdRedis(link, time, Clients.PATIENCE, event -> {});
        RedisBloomFilter<Long> near = builder(way).near(Duration.ofSeconds(5)).open()) {
      long unused = time.step.run();
      long before = calls();
      assertThat(near.ask(7L)).isEqualTo(Answer.NOT_HERE);
      assertThat(calls()).as("answered from the copy").isEqualTo(before);
      writer.putLong(7L);
      time.suspendedMillis = 60_000;
      assertThat(near.ask(7L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  /** A filter that stays in doubt is not copied all the time; one that is proven is followed. */
  @Test
  void aFilterInDoubtIsCopiedForATenthOfTheTimeAtMost() {
    OwnTime time = new OwnTime();
    long[] copying = new long[1];
    Link slow =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          void before(Command command) {
            if (isWholeShard(command)) {
              time.nanos += 12_000_000;
              copying[0] += 12_000_000;
            }
          }
        };
    for (Object key : (List<?>) server.ask("KEYS", "wbird:{*}:f:1:*")) {
      String shard = key instanceof byte[] b ? Command.text(b) : "" + key;
      server.ask("BITFIELD", shard, "SET", "i64", "192", "77"); // From a life that is over.
    }
    try (WoodbirdRedis way = new WoodbirdRedis(slow, time, Clients.PATIENCE, event -> {});
        RedisBloomFilter<Long> near = builder(way).near().open()) {
      long once = copying[0];
      assertThat(once).as("the first attempt").isPositive();
      long begin = time.nanos;
      while (time.nanos - begin < 100 * once) {
        time.nanos += Math.max(0, time.step.run());
      }
      long spent = copying[0] - once;
      assertThat(spent).as("it tries").isGreaterThanOrEqualTo(5 * once);
      assertThat(spent).isLessThanOrEqualTo((time.nanos - begin) / 10 + once);
      near.trust();
      time.nanos += 10 * once;
      long unused = time.step.run() + time.step.run();
      assertThat(near.health().nearLagMillis()).as("copied, and then read on").isZero();
    }
  }
}
