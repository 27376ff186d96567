package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.FilterStats;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A filter in Redis that grows: whoever lets it grow, no key is denied, and the fpp holds. */
class GrowingTest {
  private static final long SEED = Long.getLong("woodbird.seed", System.nanoTime());

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

  private static List<Long> keys(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  /** One machine lets it grow; the other finds what it did not know of, and puts there too. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void aKeyIsNewOnce_forAllMachines(Clients clients) throws Exception {
    try (AutoCloseable client = clients.server(server.port());
        WoodbirdRedis one = Clients.patient(client);
        WoodbirdRedis other = Clients.patient(client)) {
      RedisFilter<Long> first = Putter.growing(one).create();
      RedisFilter<Long> second = Putter.growing(other).open();
      assertThat(first.put(1L)).isTrue();
      assertThat(second.put(1L)).isFalse();
      assertThat(first.putAll(keys(0, 3000))).isBetween(2950L, 2999L);
      assertThat(first.stats().layout()).matches("growing, [345] levels.*");
      assertThat(second.candidates(keys(0, 3000))).isEqualTo(keys(0, 3000));
      assertThat(second.ask(2999L)).isEqualTo(Answer.MAYBE_HERE);
      RedisFilter<Long> third = Putter.growing(other).open();
      assertThat(third.putAll(keys(0, 3000))).isZero();
      assertThat(third.put(-1L)).isTrue();
      assertThat(first.ask(-1L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(first.stats().estimatedKeys()).isBetween(2950L, 3001L);
    }
  }

  /** Of four processes that let it grow at once, at most one hears of each key that it is new. */
  @Test
  void fourProcesses_hearOfAKeyOnceThatItIsNew() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.growing(redis).create();
      int fresh = Putter.fourProcesses(server.port(), Putter.Kind.GROWING).size();
      assertThat(filter.putAll(keys(0, Putter.KEYS))).isZero();
      assertThat(filter.stats().estimatedKeys()).isEqualTo(fresh);
      assertThat(filter.stats().layout()).contains("levels").doesNotContain("1 levels");
    }
  }

  /** The measured fpp may be above the promise by five deviations of the sample. */
  private static void checkFpp(RedisFilter<Long> filter, int questions, SplittableRandom random) {
    long[] hashes = random.longs(questions).toArray();
    int maybe = filter.candidates(hashes, questions, new int[questions]);
    FilterStats stats = filter.stats();
    double sigma = Math.sqrt(questions * stats.promisedFpp() * (1 - stats.promisedFpp()));
    System.out.printf("%s: %d of %d%n", stats, maybe, questions);
    assertThat((double) maybe)
        .as("seed %d, %s", SEED, stats)
        .isLessThanOrEqualTo(questions * stats.promisedFpp() + 5 * sigma);
    assertThat(stats.currentFpp()).isLessThanOrEqualTo(stats.promisedFpp());
    double measured = Math.sqrt(questions * stats.currentFpp());
    assertThat((double) maybe)
        .as("seed %d, %s", SEED, stats)
        .isBetween(
            questions * stats.currentFpp() - 5 * measured - 5,
            questions * stats.currentFpp() + 5 * measured + 5);
  }

  private static void grow(RedisFilter<Long> filter, long to, int questions) {
    SplittableRandom random = new SplittableRandom(SEED);
    long done = 0;
    for (long size = 1000; size <= to; size = size * 3 / 2) {
      long[] hashes = random.longs(size - done).toArray();
      filter.putHashes(hashes, hashes.length);
      done = size;
      checkFpp(filter, questions, random);
    }
  }

  @Test
  void theFppHolds_atEverySize() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      grow(redis.growing("g", Keys.longs(), 100).fpp(0.02).create(), 8_000, 5_000);
    }
  }

  /** From a thousand keys to a million and a half, and with 0.1 %. */
  @Tag("slow")
  @Test
  void theFppHolds_upToAMillion() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      grow(redis.growing("g1", Keys.longs(), 1000).create(), 1_500_000, 50_000);
      grow(redis.growing("g2", Keys.longs(), 1000).fpp(0.001).create(), 150_000, 50_000);
    }
  }

  @Test
  void aPutIsOneRoundTrip_andSoIsAQuestion() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = redis.growing("g", Keys.longs(), 100).create();
      filter.putAll(keys(0, 1000));
      server.ask("SCRIPT", "FLUSH");
      filter.put(1000L); // Sends the script again.
      long before = Long.parseLong(server.info("stats", "total_reads_processed"));
      long bytes = Long.parseLong(server.info("stats", "total_net_input_bytes"));
      for (long key = 1001; key <= 1100; key++) {
        filter.put(key);
        assertThat(filter.mightContain(key)).isTrue();
      }
      long reads = Long.parseLong(server.info("stats", "total_reads_processed")) - before;
      assertThat(reads).isBetween(200L, 215L);
      long sent = Long.parseLong(server.info("stats", "total_net_input_bytes")) - bytes;
      assertThat(sent / 100).isLessThan(2000); // The text alone has more.
    }
  }

  @Test
  void aLostShard_isUnknown() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.growing(redis).create();
      filter.putAll(keys(0, 1000));
      server.ask("FLUSHALL");
      assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(() -> filter.put(2L)).isInstanceOf(RedisFilterException.class);
      assertThat(filter.ask(2L)).isEqualTo(Answer.UNKNOWN);
      assertThat(server.ask("DBSIZE")).isEqualTo(0L);
    }
  }

  /** What comes back is from before it grew. */
  @Test
  void anOlderSnapshot_isUnknownUntilSomebodyTrusts() throws Exception {
    try (RedisServer own = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(own.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.growing(redis).create();
      filter.put(1L);
      own.ask("SAVE");
      filter.putAll(keys(0, 1000));
      own.kill();
      own.startAgain();
      assertThat(filter.ask(2L)).isEqualTo(Answer.UNKNOWN);
      filter.trust();
      assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(filter.ask(2L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.putAll(keys(0, 1000))).isBetween(970L, 999L);
      assertThat(filter.candidates(keys(0, 1000))).hasSize(1000);
    }
  }

  @Test
  void itHasManyShards_andTheyGrow() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = redis.growing("g", Keys.longs(), 10_000).create();
      assertThat(filter.health().shards()).isEqualTo(48);
      assertThat(filter.health().bytes()).isBetween(18_000L, 25_000L);
      // A shard has room for 208 keys or more. It gets 125 of 6,000, with a deviation of 11, and
      // 333
      // of 16,000, with one of 18: more than five deviations away from that on both sides.
      filter.putAll(keys(0, 6_000));
      assertThat(filter.stats().layout()).contains("1 levels");
      filter.putAll(keys(6_000, 16_000));
      assertThat(filter.health().bytes()).isBetween(90_000L, 125_000L);
    }
  }

  /** The numbers of docs/howto/redis.md. It grows at about 40,000 and 165,000 keys. */
  @Tag("slow")
  @Test
  void bitsAKey_areWhatTheGuideSays() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = redis.growing("g", Keys.longs(), 1_000).fpp(0.01).create();
      double most = 0;
      double least = Double.MAX_VALUE;
      for (int keys = 5_000; keys <= 180_000; keys += 5_000) {
        filter.putAll(keys(keys - 5_000, keys));
        double bits = 8.0 * filter.health().bytes() / keys;
        most = Math.max(most, bits);
        least = Math.min(least, bits);
      }
      assertThat(most).isBetween(60.0, 66.0);
      assertThat(least).isBetween(16.5, 18.0);
      RedisFilter<Long> right = redis.bloom("right", Keys.longs(), 180_000).fpp(0.01).create();
      assertThat(8.0 * right.sizeInBytes() / 180_000).isBetween(9.9, 10.5);
    }
  }

  /** Each begins with some blocks more than 4 MiB. */
  @Test
  void theRecordOfAFilterWithLargeShards_canBeRead() {
    GenerationSpec generation = GenerationSpec.growing(Time.SYSTEM, 1_000_000_000, 0.001, "k");
    assertThat(generation.shardBlocks()).isGreaterThan(65_536);
    assertThat(GenerationSpec.decode(1, generation.encode())).isEqualTo(generation);
  }

  /** Else a put could not see all levels of its key at once. */
  @Test
  void aHashStaysInItsShard_inEachLevel() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 200; i++) {
      long expected = 1 + random.nextLong(1L << random.nextInt(28));
      GenerationSpec generation = GenerationSpec.growing(Time.SYSTEM, expected, 0.01, "k");
      long hash = random.nextLong();
      int shard = generation.shardOf(hash);
      assertThat(shard).isLessThan(generation.shards());
      for (int level = 0; level < generation.mostLevels(); level++) {
        long block = block(generation, hash, level);
        assertThat(block / generation.levelBlocks(level)).isEqualTo(shard);
        assertThat(generation.blocksBefore(level) + block % generation.levelBlocks(level))
            .as("seed %d", SEED)
            .isEqualTo(generation.place(hash, level))
            .isLessThan(generation.blocksBefore(level + 1));
        assertThat(generation.blocksIn(generation.shards() - 1)).isEqualTo(generation.blocksIn(0));
        long keys = generation.levelKeys(level) * generation.shards();
        assertThat(BlockedBloomSize.fpp(generation.level(level), keys)).isLessThan(0.01 / 8);
      }
    }
  }

  private static long block(GenerationSpec generation, long hash, int level) {
    return BlockedBloom.block(hash, generation.level(level).blockCount());
  }

  @Test
  void anotherKind_isRefused() throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      Putter.growing(redis).create();
      assertThatThrownBy(() -> redis.bloom("g", Keys.longs(), 100).open())
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("growing, ");
      assertThatThrownBy(() -> redis.growing("g", Keys.longs(), 100).fpp(0.0001))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("fpp must be at least 0.001: 1.0E-4");
    }
  }

  @Test
  void aSavedFilter_deniesTheSameKeys(@TempDir Path folder) throws Exception {
    Path path = folder.resolve("g.wbird");
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisFilter<Long> filter = Putter.growing(redis).create();
      filter.putAll(keys(0, 1000));
      RedisFilter<Long> other = Putter.growing(redis).open();
      long size = other.sizeInBytes();
      other.save(path);
      assertThat(path.toFile().length()).isEqualTo(size);
      try (OpenFilter<Long> stored = Woodbird.open(path, Keys.longs())) {
        assertThat(stored.candidates(keys(0, 6000))).isEqualTo(filter.candidates(keys(0, 6000)));
      }
    }
  }

  /** A put that its shard never takes is sent a few times, and then fails. */
  @Test
  void aDamagedHeader_isNoEndlessPut() throws Exception {
    AtomicInteger sent = new AtomicInteger();
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis =
            new WoodbirdRedis(
                new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
                  @Override
                  void before(Command command) {
                    if (sent.incrementAndGet() > 10_000) {
                      throw new AssertionError("it does not end");
                    }
                  }
                },
                Time.SYSTEM,
                Clients.PATIENCE,
                event -> {})) {
      RedisFilter<Long> filter = Putter.growing(redis).create();
      filter.putAll(keys(0, 20));
      String most = "\u00ff".repeat(6); // As many keys as the header can count.
      for (Object key : (List<?>) server.ask("KEYS", "wbird:{*")) {
        server.ask("SETRANGE", key.toString(), "58", most);
      }
      assertThatThrownBy(() -> filter.put(100L))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("damaged header");
      assertThat(filter.candidates(keys(0, 20))).hasSize(20);
    }
  }
}
