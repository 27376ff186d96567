package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.FaultProxy.Fault;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A network that hangs, drips, delays, cuts and corrupts. */
final class FaultTest {
  /** A call may take its time-out twice, and this machine may be busy; but it must end. */
  private static final Duration ENDS = Duration.ofMinutes(5);

  private static RedisServer server;

  /** Long enough for a healthy call, as far as that can be known. */
  private final Duration timeout = Clients.brief(server, Duration.ofMillis(150));

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  /** Opens a filter with one key, as often as that takes longer than the time-out. */
  private static RedisBloomFilter<Long> opened(RedisBloomBuilder<Long> builder, long key) {
    AtomicReference<RedisBloomFilter<Long>> opened = new AtomicReference<>();
    RedisCluster.until(
        () -> {
          try {
            if (opened.get() == null) {
              opened.set(builder.create());
            }
            opened.get().put(key);
            return true;
          } catch (RedisFilterException e) {
            return false;
          }
        });
    return opened.get();
  }

  @ParameterizedTest
  @CsvSource({
    "SWALLOW, JEDIS",
    "DRIP, JEDIS",
    "DELAY, JEDIS",
    "SWALLOW, LETTUCE",
    "DRIP, LETTUCE",
    "DELAY, LETTUCE"
  })
  void everyCallEnds(Fault fault, Clients clients) throws Exception {
    List<RedisEvent> events = new ArrayList<>();
    try (FaultProxy way = new FaultProxy(server.port());
        AutoCloseable client = clients.server(way.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client, timeout, events::add)) {
      RedisBloomFilter<Long> filter =
          opened(redis.bloom("slow" + fault + clients, Keys.longs(), 10_000).seed(1), 1L);
      way.fault(fault, fault == Fault.DRIP ? timeout.toMillis() / 3 : 4 * timeout.toMillis());
      assertTimeoutPreemptively(ENDS, () -> assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN));
      assertTimeoutPreemptively(
          ENDS,
          () ->
              assertThatThrownBy(() -> filter.putLong(2L))
                  .isInstanceOf(RedisFilterException.class));
      assertThat(events).extracting(RedisEvent::cause).contains(RedisEvent.Cause.TIMEOUT);
      way.fault(Fault.NONE, 0);
      way.cutAll();
      RedisCluster.until(() -> filter.ask(1L) == Answer.MAYBE_HERE);
      RedisCluster.until(() -> filter.ask(-5L) == Answer.NOT_HERE);
    }
  }

  @Test
  void aFrozenServerAndAServerThatSleeps() throws Exception {
    try (RedisServer frozen = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(frozen.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client, timeout, event -> {})) {
      RedisBloomFilter<Long> filter = opened(redis.bloom("f", Keys.longs(), 10_000).seed(1), 1L);
      frozen.freeze();
      assertTimeoutPreemptively(ENDS, () -> assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN));
      frozen.thaw();
      RedisCluster.until(() -> filter.ask(1L) == Answer.MAYBE_HERE);
      long pause = 4 * timeout.toMillis();
      long begin = System.nanoTime();
      frozen.ask("CLIENT", "PAUSE", "" + pause, "ALL");
      Answer asleep = filter.ask(-5L);
      // Whoever gets here so late that the pause is over has not asked a server that sleeps.
      if (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(pause)) {
        assertThat(asleep).isEqualTo(Answer.UNKNOWN);
      }
      RedisCluster.until(() -> filter.ask(-5L) == Answer.NOT_HERE);
    }
  }

  /** The reply ends after each of its bytes, in the middle of a question and of a put. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void cutAtEveryByte(Clients clients) throws Exception {
    try (FaultProxy way = new FaultProxy(server.port());
        AutoCloseable client = clients.server(way.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client, Duration.ofSeconds(1), event -> {});
        AutoCloseable direct = Clients.JEDIS.server(server.port());
        WoodbirdRedis sure = Clients.patient(direct)) {
      RedisBloomFilter<Long> filter =
          opened(redis.bloom("cut" + clients, Keys.longs(), 10_000).fpp(0.001).seed(1), 0L);
      RedisBloomFilter<Long> checker =
          sure.bloom("cut" + clients, Keys.longs(), 10_000).fpp(0.001).create();
      List<Long> present = LongStream.range(0, 20).boxed().toList();
      checker.putAll(present);
      List<Long> acknowledged = new ArrayList<>();
      for (int cut = 0; cut < 180; cut += clients == Clients.JEDIS ? 1 : 17) {
        way.fault(Fault.CUT, cut);
        assertThat(filter.mightContainLong((long) (cut % 20))).as("cut after %d", cut).isTrue();
        way.fault(Fault.CUT, cut);
        try {
          filter.putLong(1_000L + cut);
          acknowledged.add(1_000L + cut);
        } catch (RedisFilterException e) {
          assertThat(e.reason()).isIn(RedisEvent.Cause.UNREACHABLE, RedisEvent.Cause.TIMEOUT);
        }
        way.fault(Fault.NONE, 0);
      }
      assertThat(checker.candidates(acknowledged)).isEqualTo(acknowledged);
      assertThat(checker.candidates(present)).isEqualTo(present);
    }
  }

  /** One byte of the reply to a question is another one. */
  @Test
  void corruptAtEveryByte() throws Exception {
    try (FaultProxy way = new FaultProxy(server.port());
        AutoCloseable client = Clients.JEDIS.server(way.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client, timeout, event -> {})) {
      RedisBloomFilter<Long> filter =
          opened(redis.bloom("corrupt", Keys.longs(), 10_000).fpp(0.01).seed(1), 7L);
      Set<Integer> denied = new TreeSet<>();
      for (int at = 0; at < 145; at++) {
        way.fault(Fault.CORRUPT, at);
        Answer answer = assertTimeoutPreemptively(ENDS, () -> filter.ask(7L));
        if (answer == Answer.NOT_HERE) {
          // Not "at": replies to others, such as a healing after the last fault, are counted too.
          denied.add(way.corrupted);
        }
        way.fault(Fault.NONE, 0);
        way.cutAll();
        RedisCluster.until(() -> filter.ask(7L) == Answer.MAYBE_HERE);
      }
      // TCP has a checksum; what passes it inside the 64 bytes of a block is a valid other block.
      assertThat(denied).allMatch(at -> at >= 5 && at < 69);
      assertThat(denied).hasSizeLessThanOrEqualTo(6);
    }
  }
}
