package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.redis.RedisBloomFilter;
import io.woodbird.redis.RedisFilterException;
import io.woodbird.redis.RedisRebuild;
import io.woodbird.redis.RemoteBuild;
import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.redis.generations.ShardLoad;
import io.woodbird.testkit.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.RedisClient;

/** Filters in a real Redis that executors load, also with tasks that fail, die or run twice. */
@ExtendWith(Cluster.class)
final class RedisBuildTest {
  private static final Duration PATIENCE = Duration.ofMinutes(3);
  private static final RedisRebuild OPTIONS = new RedisRebuild(PATIENCE, Duration.ofHours(1), 1);

  private final long seed = Long.getLong("woodbird.seed", System.nanoTime());

  private RedisServer server;
  private RedisClient client;
  private WoodbirdRedis redis;
  private RedisConnector connector;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    client = RedisClient.create("localhost", server.port());
    redis = WoodbirdRedis.using(client, PATIENCE, event -> {});
    connector = Faults.redis(server.port());
  }

  @AfterEach
  void stop() {
    redis.close();
    client.close();
    server.close();
  }

  /** Two blocks for each key, most likely in two shards of two tasks. */
  @Test
  void buildInto_tasksAreKilledFailAndRunTwice_hasTheBitsOfOneMachine() throws IOException {
    long keys = 100_000;
    long room = 5_000_000; // Of 14 MB, so that two tasks share the shards.
    double fpp = 1e-4;
    RedisBloomFilter<Long> filter =
        redis.bloom("f", Keys.longs(), room).fpp(fpp).seed(3).createUnbuilt();
    Faults.Plan faults = new Faults.Plan((int) Long.remainderUnsigned(seed, 5));
    Chaos chaos = new Chaos(faults, seed);
    try (chaos) {
      RedisConnector twice = Faults.redisTwice(server.port());
      assertThat(build(filter, () -> faults.rows(keys), twice, OPTIONS)).isEqualTo(2);
    }
    BloomFilter<Long> one = Woodbird.bloom(Keys.longs(), room).fpp(fpp).seed(3).build();
    LongStream.range(0, keys).forEach(one::putLong);
    assertThat(SerializableFilter.bytes(filter)).isEqualTo(SerializableFilter.bytes(one));
    chaos.assertHappened();
    assertThat(keysLike("*:load:*")).isEmpty();
    assertThat(filter.stats().doubts()).isEmpty();
  }

  @Test
  void buildInto_keysPutMeanwhile_areThere_andRemovedOnesAreGone() {
    RedisBloomFilter<String> filter = redis.bloom("f", Keys.strings(), 20_000).fpp(0.001).create();
    filter.putAll(urls(5000, 10_000));
    Supplier<Dataset<Row>> source =
        () -> {
          filter.put("meanwhile"); // From here on every put goes into both generations.
          return Cluster.session()
              .range(10_000)
              .selectExpr("if(id % 7 = 0, null, concat('url ', id % 5000)) AS url");
        };
    assertThat(build(filter, "url", source, connector, OPTIONS)).isEqualTo(2);
    assertThat(filter.candidates(urls(0, 5000)).size()).isEqualTo(5000);
    assertThat(filter.mightContain("meanwhile")).isTrue();
    // 0.1 % of 5,000 are 5, with a deviation of 2.2.
    assertThat(filter.candidates(urls(5000, 10_000))).hasSizeLessThan(5 + 5 * 3);
    assertThat(redis.find("f").orElseThrow().generation()).isEqualTo(2);
  }

  @Test
  void buildInto_aTaskThatAlwaysFails_leavesTheOldGenerationAnswering() {
    // 12 MB, so that one of two tasks has loaded its shards when the other fails for good.
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 10_000_000).create();
    filter.putAll(numbers(0, 1000));
    List<String> before = keysLike("*");
    RedisConnector broken = Faults.redisExceptFor(1, server.port());
    assertThatThrownBy(() -> build(filter, () -> rows(2000), broken, OPTIONS))
        .hasStackTraceContaining("there is no way to Redis");
    assertThat(filter.candidates(numbers(0, 1000))).hasSize(1000);
    assertThat(filter.candidates(numbers(1000, 2000))).hasSizeLessThan(10);
    assertThat(filter.stats().doubts()).isEmpty();
    assertThat(keysLike("*")).containsExactlyInAnyOrderElementsOf(before);
    // And the next one may build at once.
    assertThat(build(filter, () -> rows(2000), connector, OPTIONS)).isEqualTo(3);
    assertThat(filter.candidates(numbers(0, 2000))).hasSize(2000);
  }

  @Test
  void buildInto_cancelled_neverDeniesByHalfOfTheKeys() {
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 10_000).createUnbuilt();
    try (Canceller canceller = new Canceller(1)) {
      Supplier<Dataset<Long>> endless =
          () -> rows(2000).repartition(2).mapPartitions(Faults.endless(), Encoders.LONG());
      assertThatThrownBy(() -> build(filter, endless, connector, OPTIONS))
          .hasStackTraceContaining("cancelled");
      assertThat(canceller.jobs()).isEqualTo(1);
    }
    assertThat(filter.candidates(numbers(0, 5000))).hasSize(5000);
    assertThat(keysLike("*:f:2:*")).isEmpty();
    assertThat(build(filter, () -> rows(2000), connector, OPTIONS)).isEqualTo(3);
    assertThat(filter.candidates(numbers(2000, 5000))).hasSizeLessThan(30 + 5 * 6);
  }

  @Test
  void buildInto_prolongsTheLease_howeverLongTheJobTakes() {
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).createUnbuilt();
    RedisRebuild options = new RedisRebuild(Duration.ofSeconds(1), Duration.ZERO, 1);
    long end = System.nanoTime() + PATIENCE.toNanos();
    Supplier<Dataset<Long>> slow =
        () -> {
          long first = leaseUntil();
          long last = first;
          while (last == first && System.nanoTime() - end < 0) {
            last = leaseUntil();
          }
          assertThat(last).isGreaterThan(first);
          return rows(10);
        };
    assertThat(build(filter, slow, connector, options)).isEqualTo(2);
  }

  private long leaseUntil() {
    LockSupport.parkNanos(50_000_000);
    return Long.parseLong("" + server.ask("HGET", "wbird:meta:f", "leaseUntil"));
  }

  /** A task that was given up, and is still at work when the build has ended. */
  @Test
  void load_afterTheBuildWasGivenUp_doesNothing() {
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
    List<String> before = keysLike("*");
    ShardLoad[] late = {null};
    assertThatThrownBy(
            () ->
                RemoteBuild.run(
                    filter,
                    (name, generation) -> {
                      late[0] = new ShardLoad(name, generation, 0, generation.shards());
                      late[0].add(new long[] {1, 2, 3}, 3);
                      late[0].send(redis.access());
                      throw new IOException("given up");
                    },
                    OPTIONS))
        .hasMessage("given up");
    assertThatThrownBy(() -> late[0].send(redis.access()))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("is gone");
    assertThat(keysLike("*")).containsExactlyInAnyOrderElementsOf(before);
  }

  @Test
  void buildInto_refusesOtherKeys_andFewerThanWereAskedFor() {
    RedisBloomFilter<String> texts = redis.bloom("t", Keys.strings(), 1000).create();
    assertThatThrownBy(() -> build(texts, () -> rows(10), connector, OPTIONS))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("bytes:rapidhash3");
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
    filter.putLong(7);
    assertThatThrownBy(() -> build(filter, () -> rows(0), connector, OPTIONS))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("the source gave 0 keys");
    assertThat(filter.mightContainLong(7)).isTrue();
    // Executors that reach another server find no such filter.
    try (RedisServer other = RedisServer.start()) {
      RedisConnector elsewhere = Faults.redis(other.port());
      assertThatThrownBy(() -> build(filter, () -> rows(10), elsewhere, OPTIONS))
          .hasStackTraceContaining("is gone");
    }
    assertThat(filter.mightContainLong(7)).isTrue();
  }

  private static long build(
      RedisBloomFilter<?> filter,
      Supplier<? extends Dataset<?>> source,
      RedisConnector connector,
      RedisRebuild options) {
    return build(filter, "value", source, connector, options);
  }

  private static long build(
      RedisBloomFilter<?> filter,
      String column,
      Supplier<? extends Dataset<?>> source,
      RedisConnector connector,
      RedisRebuild options) {
    return WoodbirdSparkRedis.buildInto(filter, source, column, connector, options).orElseThrow();
  }

  private static Dataset<Long> rows(long count) {
    return Cluster.session().range(count).toDF("value").as(Encoders.LONG());
  }

  private static List<Long> numbers(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  private static List<String> urls(long from, long to) {
    return LongStream.range(from, to).mapToObj(i -> "url " + i).toList();
  }

  private List<String> keysLike(String pattern) {
    return ((List<?>) server.ask("KEYS", pattern)).stream().map(Object::toString).toList();
  }
}
