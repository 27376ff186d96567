package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A window in Redis: no key that was put within it is denied or called new, by any machine. */
class WindowTest {
  private static final Duration SPAN = Duration.ofMillis(700);

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @AfterEach
  void empty() {
    server.ask("FLUSHALL");
  }

  private static long serverMillis() {
    if (server.ask("TIME") instanceof List<?> time) {
      long micros = Long.parseLong("" + time.get(1));
      return Long.parseLong("" + time.get(0)) * 1000 + micros / 1000;
    }
    throw new AssertionError("no time");
  }

  private static RedisFilter<Long> small(WoodbirdRedis redis) {
    return redis.window("w", Keys.longs(), 100, SPAN).create();
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void aKeyIsNewOnce_forAllMachines(Clients clients) throws Exception {
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis one = Clients.patient(client);
        WoodbirdRedis other = Clients.patient(client)) {
      RedisFilter<Long> first = Putter.window(one).create();
      RedisFilter<Long> second = Putter.window(other).open();
      assertThat(first.ask(1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(first.put(1L)).isTrue();
      assertThat(first.put(1L)).isFalse();
      assertThat(second.put(1L)).isFalse();
      assertThat(second.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      List<Long> many = LongStream.range(0, 1000).boxed().toList();
      assertThat(second.putAll(many)).isBetween(980L, 999L);
      assertThat(first.candidates(many)).isEqualTo(many);
      assertThat(first.stats().estimatedKeys()).isBetween(900L, 1100L);
    }
  }

  /** Of four processes that put the same keys, at most one hears of each that it is new. */
  @Test
  void fourProcesses_hearOfAKeyOnceThatItIsNew() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.window(redis).create();
      assertThat(Putter.fourProcesses(server.port(), Putter.Kind.WINDOW)).isNotEmpty();
      assertThat(filter.putAll(LongStream.range(0, Putter.KEYS).boxed().toList())).isZero();
    }
  }

  /** Time passes, parts are cleared: what was put within the window is found, and the rest goes. */
  @Test
  void keysStayForTheWindow_andThenGo() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = small(redis);
      Map<Long, Long> began = new HashMap<>();
      int gone = 0;
      for (long key = 0; gone < 20; key++) {
        began.put(key, serverMillis());
        filter.put(key);
        for (Map.Entry<Long, Long> one : Map.copyOf(began).entrySet()) {
          if (filter.ask(one.getKey()) == Answer.NOT_HERE) {
            long age = serverMillis() - one.getValue();
            assertThat(age).as("key %d", one.getKey()).isGreaterThanOrEqualTo(SPAN.toMillis());
            began.remove(one.getKey());
            gone++;
          } else if (began.size() > 40) {
            began.remove(one.getKey()); // So many stay: a round must be shorter than the window.
          }
        }
        Thread.sleep(15);
      }
    }
  }

  @Test
  void aPutIsOneRoundTrip() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.window(redis).create();
      filter.put(0L);
      long before = Long.parseLong(server.info("stats", "total_reads_processed"));
      for (long key = 1; key <= 100; key++) {
        filter.put(key);
      }
      long reads = Long.parseLong(server.info("stats", "total_reads_processed")) - before;
      assertThat(reads).isBetween(100L, 115L);
    }
  }

  @Test
  void aLostShard_isUnknown() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = small(redis);
      filter.put(1L);
      server.ask("FLUSHALL");
      assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(() -> filter.put(2L)).isInstanceOf(RedisFilterException.class);
      assertThat(filter.ask(2L)).isEqualTo(Answer.UNKNOWN);
      assertThat(server.ask("DBSIZE")).isEqualTo(0L);
      assertThatThrownBy(() -> redis.window("w", Keys.longs(), 100, SPAN).open())
          .isInstanceOf(RedisFilterException.class);
    }
  }

  @Test
  void afterARestart_isUnknownUntilSomebodyTrusts() throws Exception {
    try (RedisServer own = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(own.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.window(redis).create();
      filter.put(1L);
      own.ask("SAVE");
      own.kill();
      own.startAgain();
      assertThat(filter.ask(2L)).isEqualTo(Answer.UNKNOWN);
      filter.trust();
      assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(filter.ask(2L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void anotherDuration_isRefused() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      small(redis);
      assertThatThrownBy(() -> redis.window("w", Keys.longs(), 100, SPAN.multipliedBy(2)).open())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("window of 700 ms")
          .hasMessageContaining("window of 1400 ms");
    }
  }

  @Test
  void aMillionKeys_takeHardlyMoreThanOnTheHeap() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      Duration day = Duration.ofDays(1);
      RedisFilter<Long> filter = redis.window("w", Keys.longs(), 1_000_000, day).create();
      long heap = Woodbird.window(Keys.longs(), 1_000_000, day).plan().bits() / 8;
      assertThat(filter.health().bytes()).isBetween(heap, heap * 105 / 100);
      assertThat(filter.sizeInBytes()).isBetween(heap, heap * 105 / 100);
    }
  }

  @Test
  void aSavedWindow_isAWindow(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("w.wbird");
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.window(redis).create();
      filter.putAll(LongStream.range(0, 500).boxed().toList());
      filter.save(path);
      assertThat(path.toFile().length()).isEqualTo(filter.sizeInBytes());
    }
    try (OpenFilter<Long> stored = Woodbird.open(path, Keys.longs())) {
      assertThat(stored.stats().layout()).contains("window of PT1H");
      assertThat(LongStream.range(0, 500).filter(key -> !stored.mightContain(key))).isEmpty();
      assertThat(LongStream.range(500, 1500).filter(stored::mightContain).count()).isLessThan(60);
    }
  }

  /** In a cluster the record may be on another server than the keys, with another clock. */
  @Test
  void aSavedWindow_goesByTheClockOfTheServerThatHasTheKeys(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("w.wbird");
    List<Long> keys = LongStream.range(0, 100).boxed().toList();
    Duration hour = Duration.ofHours(1);
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis =
            new WoodbirdRedis(
                new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
                  @Override
                  public Replies run(List<Command> commands, List<Command> after) {
                    Replies replies = super.run(commands, after);
                    replies.all().replaceAll(WindowTest::twoHoursAhead);
                    return replies;
                  }
                },
                Time.SYSTEM,
                Clients.PATIENCE,
                event -> {})) {
      RedisFilter<Long> filter = redis.window("w", Keys.longs(), 100, hour).create();
      filter.putAll(keys); // So many that they are in several parts.
      filter.save(path);
    }
    try (OpenFilter<Long> stored = Woodbird.open(path, Keys.longs())) {
      assertThat(stored.candidates(keys)).isEqualTo(keys);
    }
  }

  /** Changes a reply that has a record and the time of its server. */
  private static @Nullable Object twoHoursAhead(@Nullable Object reply) {
    return reply instanceof List<?> both
            && both.size() == 2
            && both.get(0) instanceof Long millis
            && both.get(1) instanceof List<?> record
        ? List.of(millis + Duration.ofHours(2).toMillis(), record)
        : reply;
  }
}
