package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.RedisClient;

/** Building anew under load: one builder, no put lost, whoever dies or sleeps. */
final class GenerationsTest {
  private static final RedisRebuild OPTIONS =
      new RedisRebuild(Clients.PATIENCE, Duration.ofHours(1), 1);

  private static final String RECORD = "wbird:meta:f";

  private RedisServer server;
  private AutoCloseable client;
  private AutoCloseable second;
  private WoodbirdRedis redis;
  private WoodbirdRedis other;
  private RedisBloomFilter<Long> filter;
  private RedisBloomFilter<Long> reader;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    client = Clients.JEDIS.server(server.port());
    second = Clients.LETTUCE.server(server.port());
    redis = Clients.patient(client);
    other = Clients.patient(second);
    filter = redis.bloom("f", Keys.longs(), 20_000).fpp(0.001).seed(1).create();
    reader = other.bloom("f", Keys.longs(), 20_000).fpp(0.001).create();
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    other.close();
    client.close();
    second.close();
    server.close();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private List<String> shards() {
    return ((List<?>) server.ask("KEYS", "wbird:{*}:f:*")).stream().map(Object::toString).toList();
  }

  @Test
  void whatLeftTheSourceIsGoneAndWhatWasPutMeanwhileIsThere() {
    filter.putAll(range(0, 10_000));
    OptionalLong built =
        filter.rebuild(
            () -> {
              // The source is open: from here on every put, of every client, goes into both.
              assertThat(reader.putLong(15_000L)).isTrue();
              assertThat(filter.putLong(15_001L)).isTrue();
              reader.load(range(15_002, 15_100).iterator());
              return range(5_000, 10_000).iterator();
            },
            OPTIONS);
    assertThat(built).hasValue(2);
    assertThat(filter.health().generation()).isEqualTo(2);
    for (RedisBloomFilter<Long> each : List.of(filter, reader)) {
      assertThat(each.candidates(range(5_000, 10_000))).hasSize(5_000);
      assertThat(each.candidates(range(15_000, 15_100))).hasSize(100);
      assertThat(each.candidates(range(0, 5_000))).hasSizeLessThan(50);
    }
    assertThat(reader.health().generation()).isEqualTo(2);
  }

  @Test
  void rollsBackWithoutLosingWhatWasPutSince() {
    filter.putAll(range(0, 1_000));
    assertThat(filter.rollBack()).isFalse();
    assertThat(filter.rebuild(() -> range(500, 1_000).iterator(), OPTIONS)).isPresent();
    reader.putLong(7_777L);
    assertThat(reader.ask(1L)).isEqualTo(Answer.NOT_HERE);
    assertThat(reader.rollBack()).isTrue();
    for (RedisBloomFilter<Long> each : List.of(filter, reader)) {
      assertThat(each.candidates(range(0, 1_000))).hasSize(1_000);
      assertThat(each.mightContainLong(7_777L)).isTrue();
      assertThat(each.health().generation()).isEqualTo(1);
    }
    filter.putLong(8_888L);
    assertThat(filter.rollBack()).as("and forth again").isTrue();
    assertThat(reader.candidates(List.of(1L, 700L, 7_777L, 8_888L)))
        .containsExactly(700L, 7_777L, 8_888L);
  }

  @Test
  void theOldGenerationIsRemovedAfterItsGrace() throws Exception {
    filter.putAll(range(0, 1_000));
    int count = shards().size();
    RedisRebuild quick = new RedisRebuild(Clients.PATIENCE, Duration.ofMillis(1), 1);
    assertThat(filter.rebuild(() -> range(0, 1_000).iterator(), quick)).isPresent();
    assertThat(shards()).hasSize(2 * count);
    Thread.sleep(5);
    filter.putLong(1_001L); // Notices that the grace is over.
    assertThat(shards()).hasSize(count).allMatch(key -> key.contains(":f:2:"));
    assertThat(filter.rollBack()).isFalse();
    // A client that slept through all this.
    assertThat(reader.candidates(range(0, 1_002))).hasSize(1_001);
    assertThat(reader.putLong(1_003L)).isTrue();
    assertThat(filter.mightContainLong(1_003L)).isTrue();
    assertThat(shards()).hasSize(count);
    assertThat(filter.stats().doubts()).isEmpty();
    assertThat(reader.stats().doubts()).isEmpty();
  }

  @Test
  void aSourceThatFailsOrIsShortChangesNothing() {
    filter.putAll(range(0, 1_000));
    List<String> before = shards();
    assertThatThrownBy(
            () ->
                filter.rebuild(
                    () -> {
                      throw new IllegalStateException("the database is down");
                    },
                    OPTIONS))
        .hasMessage("the database is down");
    RedisRebuild many = new RedisRebuild(Clients.PATIENCE, Duration.ZERO, 900);
    assertThatThrownBy(() -> filter.rebuild(() -> range(0, 899).iterator(), many))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("899");
    assertThat(shards()).containsExactlyInAnyOrderElementsOf(before);
    assertThat(filter.candidates(range(0, 1_000))).hasSize(1_000);
    filter.putLong(5_000L);
    assertThat(reader.mightContainLong(5_000L)).isTrue();
    assertThat(filter.rebuild(() -> range(0, 1_000).iterator(), OPTIONS)).isPresent();
  }

  @Test
  void withoutAGraceTheOldGenerationIsRemovedAtOnce() {
    int count = shards().size();
    RedisRebuild quick = new RedisRebuild(Clients.PATIENCE, Duration.ZERO, 1);
    assertThat(filter.rebuild(() -> range(0, 1_000).iterator(), quick)).isPresent();
    assertThat(shards()).hasSize(count).allMatch(key -> key.contains(":f:2:"));
    reader.trust(); // Who has not noticed it yet.
    assertThat(reader.candidates(range(0, 1_000))).hasSize(1_000);
  }

  @Test
  void afterARollBackTheOtherGenerationIsRemovedAfterItsGrace() {
    int count = shards().size();
    assertThat(filter.rebuild(() -> range(0, 1_000).iterator(), OPTIONS)).isPresent();
    assertThat(filter.rollBack()).isTrue();
    server.ask("HSET", RECORD, "graceUntil", "1");
    filter.putLong(1_001L);
    assertThat(shards()).hasSize(count).allMatch(key -> key.contains(":f:1:"));
  }

  /** Somebody vouched for what came back from a file, see back.lua. */
  @Test
  void aBuildThatLosesItsLeaseToARecovery_leavesNothing() {
    List<String> before = shards();
    assertThat(
            filter.rebuild(
                () -> {
                  server.ask("HDEL", RECORD, "lease", "leaseFrom", "leaseUntil");
                  return range(0, 1_000).iterator();
                },
                OPTIONS))
        .isEmpty();
    assertThat(server.ask("HEXISTS", RECORD, "next")).isEqualTo(0L);
    assertThat(shards()).containsExactlyInAnyOrderElementsOf(before);
  }

  /** It has no source, so its only copy is not deleted; and who knows it may deny by it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void noBuildGoesOverAGenerationThatAnOlderRecordLacks(int builds) {
    server.ask("COPY", RECORD, "older");
    RedisRebuild quick = new RedisRebuild(Clients.PATIENCE, Duration.ZERO, 1);
    for (int i = 0; i < builds; i++) {
      assertThat(filter.rebuild(() -> range(0, 1_000).iterator(), quick)).isPresent();
    }
    filter.putLong(5_000L);
    List<String> before = shards();
    server.ask("RENAME", "older", RECORD);
    try (WoodbirdRedis third = Clients.patient(client)) {
      RedisBloomFilter<Long> late = third.bloom("f", Keys.longs(), 20_000).fpp(0.001).open();
      assertThatThrownBy(() -> late.rebuild(() -> range(0, 1_000).iterator(), quick))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("is of a generation that the record does not know");
    }
    assertThat(shards()).containsAll(before);
    assertThat(filter.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(server.ask("HEXISTS", RECORD, "next")).isEqualTo(0L);
  }

  @Test
  void oneBuildsAtATimeAndASleeperLoses() throws Exception {
    filter.putAll(range(0, 1_000));
    CountDownLatch building = new CountDownLatch(1);
    CountDownLatch wake = new CountDownLatch(1);
    AtomicReference<Object> slept = new AtomicReference<>();
    Duration lease = Clients.brief(server, Duration.ofSeconds(1));
    Link asleep =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          boolean swallow(Command command) {
            return wake.getCount() > 0
                && command.name == Command.Name.EVAL
                && Command.text(command.arguments[0]).startsWith("-- Prolongs the lease");
          }
        };
    WoodbirdRedis late = new WoodbirdRedis(asleep, Time.SYSTEM, Clients.PATIENCE, event -> {});
    RedisBloomFilter<Long> filter = late.bloom("f", Keys.longs(), 20_000).fpp(0.001).open();
    RedisRebuild shortLease = new RedisRebuild(lease, Duration.ofHours(1), 1);
    Thread sleeper =
        new Thread(
            () -> {
              try {
                slept.set(
                    filter.rebuild(
                        () -> {
                          building.countDown();
                          await(wake);
                          return range(0, 10).iterator();
                        },
                        shortLease));
              } catch (RuntimeException e) {
                slept.set(e);
              }
            });
    sleeper.start();
    building.await();
    assertThat(reader.rebuild(() -> range(0, 1_000).iterator(), OPTIONS)).isEmpty();
    Thread.sleep(lease.toMillis() + 100);
    assertThat(reader.rebuild(() -> range(0, 1_000).iterator(), OPTIONS)).isPresent();
    wake.countDown();
    sleeper.join();
    assertThat(slept.get()).isEqualTo(OptionalLong.empty());
    assertThat(filter.candidates(range(0, 1_000))).hasSize(1_000);
    assertThat(filter.health().generation()).isEqualTo(3);
    assertThat(shards()).noneMatch(key -> key.contains(":f:2:"));
    late.close();
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void twoBuildersDuel() throws Exception {
    duel(8);
  }

  @Test
  @Tag("slow")
  void twoBuildersDuelLong() throws Exception {
    duel(200);
  }

  private void duel(int rounds) throws Exception {
    server.ask("SET", "database", "1000");
    SplittableRandom random = new SplittableRandom(rounds);
    List<String> said = Collections.synchronizedList(new ArrayList<>());
    AtomicBoolean go = new AtomicBoolean(true);
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong denied = new AtomicLong();
    AtomicLong asked = new AtomicLong();
    Process[] builders = {builder(said), builder(said)};
    try (RedisClient jedis = RedisClient.create("127.0.0.1", server.port());
        WoodbirdRedis third = Clients.patient(jedis)) {
      RedisBloomFilter<Long> writer = DuelBuilder.open(third);
      RedisBloomFilter<Long> asker = DuelBuilder.open(other);
      writer.putAll(range(0, 1_000));
      acknowledged.set(1_000);
      Thread puts = new Thread(() -> put(jedis, writer, go, acknowledged));
      Thread asks = new Thread(() -> ask(asker, go, acknowledged, asked, denied));
      puts.start();
      asks.start();
      for (int round = 0; round < rounds; round++) {
        Thread.sleep(20 + random.nextInt(200));
        int which = random.nextInt(2);
        if (round % 5 == 4) {
          signal(builders[which], "-KILL");
          builders[which].waitFor();
          builders[which] = builder(said);
        } else {
          signal(builders[which], "-STOP");
          Thread.sleep(random.nextInt(600));
          signal(builders[which], "-CONT");
        }
      }
      RedisCluster.until(() -> said.stream().filter(line -> line.startsWith("won")).count() > 3);
      for (Process each : builders) {
        signal(each, "-KILL");
        each.waitFor();
      }
      go.set(false);
      puts.join();
      asks.join();
      List<String> won = said.stream().filter(line -> line.startsWith("won")).toList();
      assertThat(new HashSet<>(won)).as("each generation has one winner").hasSameSizeAs(won);
      assertThat(asked.get()).isPositive();
      assertThat(denied).hasValue(0);
      List<Long> all = range(0, acknowledged.get());
      assertThat(asker.candidates(all)).hasSameSizeAs(all);
      assertThat(writer.candidates(all)).hasSameSizeAs(all);
    } finally {
      for (Process each : builders) {
        signal(each, "-KILL");
      }
    }
  }

  private static void put(
      RedisClient jedis, RedisBloomFilter<Long> filter, AtomicBoolean go, AtomicLong acknowledged) {
    while (go.get()) {
      long key = acknowledged.get();
      jedis.set("database", "" + (key + 1)); // The row first, then the filter.
      try {
        filter.putLong(key);
        acknowledged.incrementAndGet();
      } catch (RedisFilterException e) {
        Thread.yield();
      }
    }
  }

  private static void ask(
      RedisBloomFilter<Long> filter,
      AtomicBoolean go,
      AtomicLong acknowledged,
      AtomicLong asked,
      AtomicLong denied) {
    while (go.get()) {
      long end = acknowledged.get();
      List<Long> some = range(Math.max(0, end - 300), end);
      asked.addAndGet(some.size());
      denied.addAndGet(some.size() - filter.candidates(some).size());
    }
  }

  private Process builder(List<String> said) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                DuelBuilder.class.getName(),
                "" + server.port())
            .redirectErrorStream(true)
            .start();
    Thread thread =
        new Thread(
            () -> {
              try (BufferedReader lines =
                  new BufferedReader(
                      new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                lines.lines().forEach(said::add);
              } catch (IOException | java.io.UncheckedIOException e) {
                // The process was killed.
              }
            });
    thread.setDaemon(true);
    thread.start();
    return process;
  }

  private static void signal(Process process, String signal) throws Exception {
    new ProcessBuilder("sh", "-c", "kill " + signal + " " + process.pid()).start().waitFor();
  }
}
