package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisServer;
import io.woodbird.testkit.Trials;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Counters in Redis: keys come and go, and none that is here is ever denied. */
final class CountingTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void putsAreTakenBack(Clients clients) throws Exception {
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisDeletableFilter<Long> filter =
          redis.deletable("back" + clients, Keys.longs(), 10_000).fpp(0.001).create();
      assertThat(filter.removeLong(1L)).isFalse();
      assertThat(filter.putLong(1L)).isTrue();
      assertThat(filter.putLong(1L)).isFalse();
      assertThat(filter.removeLong(1L)).isTrue();
      assertThat(filter.mightContainLong(1L)).isTrue();
      assertThat(filter.removeLong(1L)).isTrue();
      assertThat(filter.ask(1L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.removeLong(1L)).isFalse();
      filter.putAll(range(0, 5_000));
      for (long key = 0; key < 1_000; key++) {
        assertThat(filter.removeLong(key)).isTrue();
      }
      assertThat(filter.candidates(range(1_000, 5_000))).hasSize(4_000);
      assertThat(filter.candidates(range(0, 1_000))).hasSizeLessThan(10);
      assertThat(filter.stats().estimatedKeys()).isBetween(3_900L, 4_100L);
    }
  }

  @Test
  void agreesWithAMultisetThroughRandomPutsAndRemovals() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      int[] number = {0};
      Trials.run(
          "counting in Redis",
          5,
          random -> {
            RedisDeletableFilter<Long> filter =
                redis.deletable("trial" + number[0]++, Keys.longs(), 500).fpp(0.01).create();
            Map<Long, Integer> truth = new HashMap<>();
            for (int step = 0; step < 1_000; step++) {
              long key = random.nextInt(300);
              int count = truth.getOrDefault(key, 0);
              if (count > 0 && random.nextInt(3) == 0) {
                assertThat(filter.removeLong(key)).isTrue();
                truth.put(key, count - 1);
              } else if (count < 12) {
                filter.putLong(key);
                truth.put(key, count + 1);
              }
            }
            List<Long> present =
                truth.entrySet().stream()
                    .filter(e -> e.getValue() > 0)
                    .map(Map.Entry::getKey)
                    .toList();
            assertThat(filter.candidates(present)).isEqualTo(present);
          });
    }
  }

  @Test
  void aFullCounterStays() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisDeletableFilter<Long> filter = redis.deletable("full", Keys.longs(), 1_000).create();
      for (int i = 0; i < 20; i++) {
        filter.putLong(5L);
      }
      for (int i = 0; i < 30; i++) {
        assertThat(filter.removeLong(5L)).isTrue();
      }
      assertThat(filter.mightContainLong(5L)).isTrue();
    }
  }

  @Test
  void lostDataDeniesNothingAndTakesNothingBack() throws Exception {
    try (RedisServer own = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(own.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisDeletableFilter<Long> filter = redis.deletable("lost", Keys.longs(), 10_000).create();
      filter.putAll(range(0, 1_000));
      own.ask("SAVE");
      filter.putAll(range(1_000, 2_000));
      own.kill();
      own.startAgain("--save", "3600 1");
      try (AutoCloseable second = Clients.JEDIS.server(own.port());
          WoodbirdRedis other = Clients.patient(second)) {
        RedisDeletableFilter<Long> stranger =
            other.deletable("lost", Keys.longs(), 10_000).create();
        assertThatThrownBy(() -> stranger.removeLong(1_500L))
            .isInstanceOf(RedisFilterException.class);
        assertThat(stranger.candidates(range(0, 2_000))).hasSize(2_000);
      }
      assertThat(filter.candidates(range(0, 2_000))).hasSize(2_000);
      filter.putAll(range(1_000, 2_000));
      assertThatThrownBy(() -> filter.removeLong(1_500L)).isInstanceOf(RedisFilterException.class);
      filter.trust();
      assertThat(filter.candidates(range(0, 2_000))).hasSize(2_000);
      assertThat(filter.removeLong(1_500L)).isTrue();
      own.ask("FLUSHALL");
      assertThatThrownBy(() -> filter.removeLong(3L)).isInstanceOf(RedisFilterException.class);
      assertThat(filter.candidates(range(0, 1_000))).hasSize(1_000);
    }
  }

  @Test
  void isSavedAsABloomFilterAndIsNotMistakenForOne(@TempDir Path folder) throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisDeletableFilter<Long> filter = redis.deletable("saved", Keys.longs(), 5_000).create();
      filter.putAll(range(0, 5_000));
      Path file = folder.resolve("x.wbird");
      filter.save(file);
      assertThat(Files.size(file)).isEqualTo(filter.sizeInBytes());
      Filter<Long> read = Woodbird.readFrom(Files.newInputStream(file), Keys.longs());
      assertThat(read.candidates(range(0, 10_000))).isEqualTo(filter.candidates(range(0, 10_000)));
      assertThatThrownBy(() -> redis.bloom("saved", Keys.longs(), 5_000).create())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("counting");
    }
  }

  /**
   * The reply to a removal is lost, and the client repeats it when nobody remembers it any more: a
   * minute later, or as the server was short of memory.
   */
  @Test
  void aRemovalIsDoneOnceAtMost() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port())) {
      Link direct = new RoutedLink(JedisWire.of(client), Clients.PATIENCE);
      boolean[] lost = new boolean[1];
      Link losing =
          new HeldLink(direct) {
            @Override
            boolean swallow(Command command) {
              boolean removal =
                  command.name == Command.Name.EVAL
                      && Command.text(command.arguments[0]).contains("Takes back a put");
              if (!removal || lost[0]) {
                return false;
              }
              lost[0] = true;
              direct.run(command);
              for (Object call : (List<?>) server.ask("KEYS", "*:once:*:call:*")) {
                server.ask("DEL", call instanceof byte[] b ? Command.text(b) : "" + call);
              }
              return true;
            }
          };
      try (WoodbirdRedis redis =
          new WoodbirdRedis(losing, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
        RedisDeletableFilter<Long> filter = redis.deletable("once", Keys.longs(), 1_000).create();
        filter.putLong(1L);
        filter.putLong(1L); // For somebody else.
        assertThatThrownBy(() -> filter.removeLong(1L))
            .isInstanceOf(RedisFilterException.class)
            .hasMessageContaining("not known to be done");
        assertThat(lost[0]).isTrue();
        assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
        assertThat(filter.removeLong(1L)).isTrue();
        assertThat(filter.ask(1L)).isEqualTo(Answer.NOT_HERE);
      }
    }
  }
}
