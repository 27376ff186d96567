package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The asynchronous face says what the other one says, and keeps the same time. */
class AsyncTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void answersAndPuts_areTheSame(Clients clients) throws Exception {
    server.ask("FLUSHALL");
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      List<RedisFilter<Long>> filters =
          List.of(
              redis.bloom("bloom", Keys.longs(), 10_000).create(),
              redis.bloom("pair", Keys.longs(), 10_000).fpp(1e-4).create(),
              redis.bloom("near", Keys.longs(), 10_000).near().create(),
              redis.deletable("deletable", Keys.longs(), 10_000).create(),
              redis.window("window", Keys.longs(), 10_000, Duration.ofHours(1)).create(),
              redis.growing("growing", Keys.longs(), 100).create());
      for (RedisFilter<Long> filter : filters) {
        RedisAsync<Long> async = filter.async();
        assertThat(get(async.ask(1L))).as("%s", filter).isEqualTo(Answer.NOT_HERE);
        assertThat(get(async.put(1L))).isTrue();
        assertThat(get(async.put(1L))).isFalse();
        assertThat(get(async.mightContain(1L))).isTrue();
        assertThat(get(async.putAll(keys(0, 1200)))).isBetween(1170L, 1199L);
        assertThat(filter.candidates(keys(0, 1200))).hasSize(1200);
        assertThat(get(async.candidates(keys(0, 2500))))
            .isEqualTo(filter.candidates(keys(0, 2500)));
        filter.close();
        assertThat(get(async.ask(-1L))).isEqualTo(Answer.UNKNOWN);
        assertThatThrownBy(() -> async.put(1L)).isInstanceOf(IllegalStateException.class);
      }
    }
  }

  @Test
  void inACluster_too() throws Exception {
    try (RedisCluster cluster = RedisCluster.start(3, 0);
        AutoCloseable client =
            Clients.LETTUCE.cluster(cluster.masters().stream().map(RedisServer::port).toList());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisAsync<Long> async = redis.bloom("f", Keys.longs(), 10_000).create().async();
      assertThat(get(async.putAll(keys(0, 1000)))).isBetween(990L, 1000L);
      assertThat(get(async.candidates(keys(0, 1000)))).hasSize(1000);
      assertThat(get(async.candidates(keys(1000, 2000)))).hasSizeLessThan(50);
      RedisAsync<Long> growing = redis.growing("g", Keys.longs(), 100).create().async();
      assertThat(get(growing.putAll(keys(0, 1000)))).isBetween(980L, 1000L);
      assertThat(get(growing.candidates(keys(0, 1000)))).hasSize(1000);
    }
  }

  @Test
  void lostData_isUnknown_andAPutFails() throws Exception {
    try (AutoCloseable client = Clients.LETTUCE.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisAsync<Long> async = redis.bloom("lost", Keys.longs(), 1000).create().async();
      assertThat(get(async.put(1L))).isTrue();
      server.ask("FLUSHALL");
      assertThat(get(async.ask(1L))).isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(() -> get(async.put(2L)))
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(RedisFilterException.class);
      assertThat(server.ask("DBSIZE")).isEqualTo(0L);
    }
  }

  /** Nobody waits to begin a call, and each ends with its time-out. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void aFrozenServer_holdsNobodyUp(Clients clients) throws Exception {
    List<String> late = new ArrayList<>();
    try (RedisServer frozen = RedisServer.start();
        AutoCloseable client = clients.server(frozen.port())) {
      Duration brief = Clients.brief(frozen, Duration.ofMillis(300));
      try (WoodbirdRedis redis = WoodbirdRedis.using(client, brief, event -> {})) {
        RedisFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
        for (int round = 0; round < 6; round++) {
          frozen.freeze();
          long began = System.nanoTime();
          List<CompletableFuture<Boolean>> calls = new ArrayList<>();
          for (long key = 0; key < 200; key++) {
            RedisAsync<Long> async = filter.async();
            calls.add(
                key % 2 == 0
                    ? async.ask(key).thenApply(Answer.UNKNOWN::equals).toCompletableFuture()
                    : async
                        .put(key)
                        .handle(
                            (fresh, failed) ->
                                failed != null && failed.getCause() instanceof RedisFilterException)
                        .toCompletableFuture());
          }
          long begun = System.nanoTime() - began;
          for (CompletableFuture<Boolean> call : calls) {
            assertThat(call.join()).isTrue();
          }
          long ended = System.nanoTime() - began;
          frozen.thaw();
          RedisCluster.until(() -> filter.ask(-1L) == Answer.NOT_HERE);
          if (begun < brief.toNanos() && ended - begun < brief.toNanos() * 6 / 5) {
            return;
          }
          late.add("begun " + Duration.ofNanos(begun) + ", ended after " + Duration.ofNanos(ended));
        }
        assertThat(late).as("time-out %s", brief).isEmpty();
      }
    }
  }

  /** The JDK ends all futures whose time is over in one thread: nothing may hold that up. */
  @Test
  void aConnectionThatIsGone_holdsNobodyUp() throws Exception {
    int count = 60;
    try (RedisServer own = RedisServer.start();
        FaultProxy way = new FaultProxy(own.port());
        AutoCloseable client = Clients.LETTUCE.server(way.port())) {
      Duration brief = Clients.brief(own, Duration.ofMillis(300));
      try (WoodbirdRedis redis = WoodbirdRedis.using(client, brief, event -> {})) {
        RedisAsync<Long> async = redis.bloom("f", Keys.longs(), 1000).create().async();
        way.fault(FaultProxy.Fault.SWALLOW, 0);
        List<CompletableFuture<Answer>> calls = new ArrayList<>();
        for (long key = 0; key < count; key++) {
          calls.add(async.ask(key).toCompletableFuture());
        }
        way.shut();
        long began = System.nanoTime();
        for (CompletableFuture<Answer> call : calls) {
          assertThat(call.join()).isEqualTo(Answer.UNKNOWN);
        }
        // One after the other they would wait for a connection for 200 ms each.
        Duration limit = Duration.ofMillis(count * 200 / 2).plus(brief);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(limit);
      }
    }
  }
}
