package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.RedisClient;

/** What was opened ends: threads, connections, and whoever still asks gets no "not here". */
final class CloseTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("woodbird"))
        .collect(Collectors.toSet());
  }

  private static Duration brief() {
    return Clients.brief(server, Duration.ofMillis(100));
  }

  private static long connections() {
    return Long.parseLong(server.info("clients", "connected_clients"));
  }

  /** The record is lost, so that a look opens the filter again, and it is closed meanwhile. */
  @Test
  void aFilterThatIsOpenedAgainAfterItsEnd_leavesNoThread() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      GenerationStore.Plan<Long> plan = new GenerationStore.Plan<>(1, Keys.longs(), 1, 1_000, 0.01);
      SharedFilter<Long> filter = redis.<Long>store("again").near().open(plan, () -> {});
      assertThat(threads()).anyMatch(thread -> thread.getName().endsWith("again"));
      server.ask("FLUSHALL");
      filter.close();
      filter.look();
      RedisCluster.until(
          () -> threads().stream().noneMatch(thread -> thread.getName().endsWith("again")));
    }
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void threadsAndConnectionsEndWithTheLast(Clients clients) throws Exception {
    Set<Thread> threads = threads();
    long before = connections();
    try (AutoCloseable client = clients.server(server.port())) {
      for (int round = 0; round < 10; round++) {
        WoodbirdRedis redis = Clients.patient(client);
        RedisBloomFilter<Long> near =
            redis.bloom("near" + clients, Keys.longs(), 1_000).near(Duration.ofMillis(50)).create();
        near.putLong(1L);
        redis.close(); // The filter is left open.
        assertThat(near.ask(1L)).isNotEqualTo(Answer.NOT_HERE);
        RedisCluster.until(() -> near.ask(-1L) == Answer.UNKNOWN); // Its lag is over.
        assertThatThrownBy(() -> near.putLong(2L)).isInstanceOf(RedisFilterException.class);
      }
      RedisCluster.until(() -> threads.containsAll(threads()));
      if (client instanceof RedisClient jedis) {
        assertThat(jedis.getPool().getNumActive()).isZero();
        RedisCluster.until(() -> connections() - before <= 9);
      } else {
        RedisCluster.until(() -> connections() <= before);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void brokenConnectionsAreReplacedAndNotKept(Clients clients) throws Exception {
    try (FaultProxy way = new FaultProxy(server.port());
        AutoCloseable client = clients.server(way.port());
        AutoCloseable direct = Clients.JEDIS.server(server.port());
        WoodbirdRedis sure = Clients.patient(direct);
        WoodbirdRedis redis = WoodbirdRedis.using(client, brief(), event -> {})) {
      sure.bloom("cut" + clients, Keys.longs(), 1_000).create().put(1L);
      RedisBloomFilter<Long> filter = redis.bloom("cut" + clients, Keys.longs(), 1_000).create();
      for (int round = 0; round < 8; round++) {
        if (round % 2 == 0) {
          way.fault(FaultProxy.Fault.SWALLOW, 0);
          assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
          way.fault(FaultProxy.Fault.NONE, 0);
        }
        way.cutAll();
        RedisCluster.until(() -> filter.ask(1L) == Answer.MAYBE_HERE);
      }
      if (client instanceof RedisClient jedis) {
        RedisCluster.until(() -> jedis.getPool().getNumActive() == 0);
      }
      RedisCluster.until(() -> filter.ask(-1L) == Answer.NOT_HERE);
    }
  }
}
