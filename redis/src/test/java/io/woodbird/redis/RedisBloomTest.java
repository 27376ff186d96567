package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.RedisServer;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A filter on one server: the bits of the heap's filter, one name, many clients. */
final class RedisBloomTest {
  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(Clients.class)
  void putAndAsk(Clients clients) throws Exception {
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = Clients.patient(client);
        RedisBloomFilter<String> filter =
            redis.bloom("put-" + clients, Keys.strings(), 10_000).create()) {
      assertThat(filter.ask("crow")).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.put("crow")).isTrue();
      assertThat(filter.put("crow")).isFalse();
      assertThat(filter.ask("crow")).isEqualTo(Answer.MAYBE_HERE);
      assertThat(filter.put("")).isTrue();
      assertThat(filter.mightContain("")).isTrue();
      assertThat(filter.mightContain("owl")).isFalse();
      assertThat(filter.candidates(List.of("owl", "crow", "", "jay"))).containsExactly("crow", "");
      assertThat(filter.putAll(List.of("a", "b", "a", "crow"))).isEqualTo(2);
    }
  }

  /** Every block shape, and the same bytes as on the heap. */
  @ParameterizedTest
  @CsvSource({
    "0.3, JEDIS",
    "0.05, JEDIS",
    "0.01, JEDIS",
    "0.001, JEDIS",
    "0.0001, JEDIS",
    "1e-8, JEDIS",
    "0.01, LETTUCE",
    "1e-5, LETTUCE"
  })
  void savesTheSameBytesAsTheHeap(double fpp, Clients clients, @TempDir Path folder)
      throws Exception {
    BloomFilter<Long> heap = Woodbird.bloom(Keys.longs(), 20_000).fpp(fpp).seed(7).build();
    String name = "same-" + fpp + clients;
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis.bloom(name, Keys.longs(), 20_000).fpp(fpp).seed(7).create();
      List<Long> keys = LongStream.range(0, 20_000).boxed().toList();
      // Of two blocks, one may be completed by another key of its batch: such a key is called old.
      long fresh = heap.putAll(keys);
      assertThat(filter.putAll(keys)).isBetween(fpp <= 0.001 ? fresh - 100 : fresh, fresh);
      assertThat(bytes(filter)).isEqualTo(bytes(heap));
      assertThat(filter.sizeInBytes()).isEqualTo(heap.sizeInBytes());
      assertThat(filter.candidates(keys)).isEqualTo(keys);
      List<Long> absent = LongStream.range(20_000, 40_000).boxed().toList();
      assertThat(filter.candidates(absent)).isEqualTo(heap.candidates(absent));

      RedisBloomFilter<Long> loaded =
          redis.bloom(name + "-loaded", Keys.longs(), 20_000).fpp(fpp).seed(7).create();
      loaded.load(keys.iterator());
      assertThat(bytes(loaded)).isEqualTo(bytes(heap));

      Path file = folder.resolve("x.wbird");
      filter.save(file);
      assertThat(Files.readAllBytes(file)).isEqualTo(bytes(heap));
      RedisBloomFilter<Long> restored =
          redis.bloom(name + "-restored", Keys.longs(), 20_000).fpp(fpp).seed(7).create();
      restored.load(file);
      assertThat(bytes(restored)).isEqualTo(bytes(heap));
    }
  }

  @Test
  void aFileThatGoesOnAfterItsFilter_isRefused(@TempDir Path folder) throws Exception {
    BloomFilter<Long> heap = Woodbird.bloom(Keys.longs(), 1_000).seed(7).build();
    Path file = folder.resolve("two.wbird");
    Files.write(file, bytes(heap));
    Files.write(file, bytes(heap), StandardOpenOption.APPEND);
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("two", Keys.longs(), 1_000).seed(7).create();
      assertThatThrownBy(() -> filter.load(file)).isInstanceOf(CorruptFilterException.class);
      assertThatThrownBy(() -> filter.rebuild(file, RedisRebuild.usual()))
          .isInstanceOf(CorruptFilterException.class);
    }
  }

  private static byte[] bytes(io.woodbird.Filter<?> filter) throws Exception {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @Test
  void otherParametersAreRefusedAndBothAreShown() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      redis.bloom("params", Keys.strings(), 10_000).fpp(0.01).create().put("crow");
      assertThatThrownBy(() -> redis.bloom("params", Keys.strings(), 20_000).fpp(0.01).create())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("10,000 keys")
          .hasMessageContaining("20,000 keys");
      assertThatThrownBy(() -> redis.bloom("params", Keys.strings(), 10_000).fpp(0.02).create())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("fpp 0.01")
          .hasMessageContaining("fpp 0.02");
      assertThatThrownBy(() -> redis.bloom("params", Keys.longs(), 10_000).fpp(0.01).create())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining(Keys.longs().id())
          .hasMessageContaining(Keys.strings().id());
      assertThatThrownBy(() -> redis.bloom("none", Keys.longs(), 10_000).open())
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("there is no filter none");
      assertThat(
              redis.bloom("params", Keys.strings(), 10_000).fpp(0.01).open().mightContain("crow"))
          .isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 1e-5})
  void manyClientsMakeOneFilterAndOneOfThemIsFirst(double fpp) throws Exception {
    int clients = 8;
    List<Thread> threads = new ArrayList<>();
    List<Integer> fresh = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Throwable> failures = java.util.Collections.synchronizedList(new ArrayList<>());
    for (int i = 0; i < clients; i++) {
      Clients kind = Clients.values()[i % 2];
      Thread thread =
          new Thread(
              () -> {
                try (AutoCloseable client = kind.server(server.port());
                    WoodbirdRedis redis = Clients.patient(client)) {
                  RedisBloomFilter<Long> filter =
                      redis.bloom("together" + fpp, Keys.longs(), 5_000).fpp(fpp).create();
                  int mine = 0;
                  for (long key = 0; key < 500; key++) {
                    mine += filter.putLong(key) ? 1 : 0;
                  }
                  fresh.add(mine);
                } catch (Throwable e) {
                  failures.add(e);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failures).isEmpty();
    int total = fresh.stream().mapToInt(Integer::intValue).sum();
    // A new key is called old with the fpp of a filter that is a tenth full: none or one in 500.
    assertThat(total).isBetween(498, 500);
  }

  @Test
  void keepsItsPromiseAndItsStats() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis.bloom("promise", Keys.longs(), 100_000).fpp(0.01).seed(3).create();
      filter.load(LongStream.range(0, 100_000).iterator());
      FppMeter.measure("redis, seed 3", filter, Long::valueOf, 100_000, 200_000).assertAtMost(0.01);
      assertThat(filter.stats().doubts()).isEmpty();
      assertThat(filter.stats().estimatedKeys()).isBetween(99_000L, 101_000L);
      RedisHealth health = filter.health();
      assertThat(health.well()).isTrue();
      assertThat(health.generation()).isEqualTo(1);
      assertThat(health.shards()).isEqualTo(48);
      assertThat(health.replicaLagBytes()).isEqualTo(-1);
      assertThat(health.risks()).isEmpty();
    }
  }

  @Test
  void aLoadKeepsTheTimeToLive() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("ttl", Keys.longs(), 1_000).create();
      List<?> keys = (List<?>) server.ask("KEYS", "wbird:{*}:ttl:*");
      keys.forEach(key -> server.ask("PEXPIRE", "" + key, "600000"));
      filter.load(LongStream.range(0, 1_000).iterator());
      for (Object key : keys) {
        assertThat((Long) server.ask("PTTL", "" + key)).isBetween(1L, 600_000L);
      }
      assertThat(filter.health().risks()).anyMatch(risk -> risk.contains("time to live"));
      assertThat((List<?>) server.ask("KEYS", "*:load:*")).isEmpty();
    }
  }
}
