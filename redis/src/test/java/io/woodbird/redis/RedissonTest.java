package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.redisson.RedissonFilter;
import io.woodbird.redis.redisson.RedissonKeys;
import io.woodbird.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.Codec;
import org.redisson.client.codec.StringCodec;
import org.redisson.codec.Kryo5Codec;
import org.redisson.config.Config;

/** Redisson itself on the other side: the same filter, the same answers, both ways. */
final class RedissonTest {
  private static final int KEYS = 40_000;
  private static final int MORE = 5_000;
  private static final int BATCH = 5_000;

  private static RedisServer server;
  private static RedissonClient redisson;
  private static AutoCloseable client;
  private static WoodbirdRedis redis;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    Config config = new Config();
    config
        .useSingleServer()
        .setAddress("redis://127.0.0.1:" + server.port())
        .setTimeout((int) Clients.PATIENCE.toMillis());
    redisson = Redisson.create(config);
    client = Clients.JEDIS.server(server.port());
    redis = Clients.patient(client);
  }

  @AfterAll
  static void stop() throws Exception {
    redisson.shutdown();
    redis.close();
    client.close();
    server.close();
  }

  @Test
  void stringsUnderTheStringCodec() {
    bothWays("plain", StringCodec.INSTANCE, RedissonKeys.strings(), strings());
  }

  @Test
  void stringsUnderTheDefaultCodec() {
    bothWays("kryo", new Kryo5Codec(), RedissonKeys.kryoStrings(), strings());
  }

  @Test
  void longsUnderTheDefaultCodec() {
    SplittableRandom random = new SplittableRandom(1);
    List<Long> keys =
        new ArrayList<>(List.of(0L, -1L, 1L, Long.MIN_VALUE, Long.MAX_VALUE, 63L, 64L));
    while (keys.size() < KEYS + 2 * MORE) {
      keys.add(random.nextLong() >> random.nextInt(64));
    }
    bothWays("longs", new Kryo5Codec(), RedissonKeys.kryoLongs(), keys);
  }

  /** Of all lengths, ASCII and not, with both halves of pairs. */
  private static List<String> strings() {
    SplittableRandom random = new SplittableRandom(2);
    List<String> keys = new ArrayList<>(List.of("", "a", "ab", "x".repeat(32), "x".repeat(33)));
    keys.add("y".repeat(62));
    keys.add("y".repeat(63));
    keys.add("y".repeat(64));
    keys.add("y".repeat(9_000));
    while (keys.size() < KEYS + 2 * MORE) {
      int length = random.nextInt(70);
      int kind = random.nextInt(4);
      StringBuilder key = new StringBuilder(keys.size() + "-");
      for (int i = 0; i < length; i++) {
        key.appendCodePoint(
            switch (kind) {
              case 0 -> 0x4e00 + random.nextInt(5000);
              case 1 -> 0x1f600 + random.nextInt(50);
              case 2 -> 0xc0 + random.nextInt(500);
              default -> 'a' + random.nextInt(26);
            });
      }
      keys.add(key.toString());
    }
    return keys;
  }

  private static <K> void bothWays(
      String name, Codec codec, RedissonKeys<K> encoding, List<K> all) {
    List<K> first = all.subList(0, KEYS);
    List<K> second = all.subList(KEYS, KEYS + MORE);
    // Redisson makes and fills it; we read all of it, and agree on what is not in it.
    RBloomFilter<K> theirs = redisson.getBloomFilter(name + "1", codec);
    theirs.tryInit(2 * KEYS, 0.01);
    for (int from = 0; from < KEYS; from += BATCH) {
      theirs.add(first.subList(from, from + BATCH));
    }
    RedissonFilter<K> ours = RedissonFilter.open(redis, name + "1", encoding);
    assertThat(ours.candidates(first)).hasSize(KEYS);
    assertThat(ours.candidates(second)).hasSameElementsAs(theirs.exists(second));

    // We make and fill another with the same keys; Redisson reads it, and the bytes are the same.
    RedissonFilter<K> made = RedissonFilter.create(redis, name + "2", encoding, 2L * KEYS, 0.01);
    made.load(first.subList(0, KEYS / 2).iterator());
    made.putAll(first.subList(KEYS / 2, KEYS));
    RBloomFilter<K> read = redisson.getBloomFilter(name + "2", codec);
    assertThat(read.tryInit(2 * KEYS, 0.01)).as("it is there already").isFalse();
    assertThat(contained(read, first)).isEqualTo(KEYS);
    assertThat(server.ask("HGETALL", "{" + name + "2}:config"))
        .isEqualTo(server.ask("HGETALL", "{" + name + "1}:config"));
    assertThat(stripped(name + "2")).isEqualTo(stripped(name + "1"));

    // Both add to one.
    ours.putAll(second);
    theirs.add(all.subList(KEYS + MORE, KEYS + 2 * MORE));
    assertThat(contained(theirs, second)).isEqualTo(MORE);
    assertThat(ours.candidates(all.subList(KEYS, KEYS + 2 * MORE))).hasSize(2 * MORE);
  }

  /** The value without the zeros at its end, which Redisson may not have written yet. */
  private static String stripped(String key) {
    return ("" + server.ask("GET", key)).replaceAll("\0+$", "");
  }

  private static <K> long contained(RBloomFilter<K> filter, List<K> keys) {
    long count = 0;
    for (int from = 0; from < keys.size(); from += BATCH) {
      count += filter.contains(keys.subList(from, from + BATCH));
    }
    return count;
  }

  @Test
  void lostOrChangedFiltersDenyNothing() {
    RedissonFilter<String> filter =
        RedissonFilter.create(redis, "lost", RedissonKeys.strings(), 1_000, 0.01);
    assertThat(filter.ask("crow")).isEqualTo(Answer.NOT_HERE);
    assertThat(filter.put("crow")).isTrue();
    assertThat(filter.put("crow")).isFalse();
    assertThatThrownBy(
            () -> RedissonFilter.create(redis, "lost", RedissonKeys.strings(), 2_000, 0.01))
        .isInstanceOf(IncompatibleFilterException.class)
        .hasMessageContaining("9585 bits")
        .hasMessageContaining("19170 bits");
    assertThatThrownBy(() -> RedissonFilter.open(redis, "nothing", RedissonKeys.strings()))
        .isInstanceOf(RedisFilterException.class);
    server.ask("DEL", "lost");
    assertThat(filter.ask("crow")).isEqualTo(Answer.UNKNOWN);
    server.ask("SETBIT", "lost", "5", "1");
    assertThat(filter.ask("crow")).isEqualTo(Answer.UNKNOWN);
    server.ask("HSET", "{lost}:config", "size", "77");
    assertThat(filter.ask("crow")).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> filter.put("owl"))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("config");
  }

  /** What Redisson's tryInit leaves when it is called with another size. */
  @Test
  void anotherConfigDeniesNothing() {
    RedissonFilter<String> filter =
        RedissonFilter.create(redis, "other", RedissonKeys.strings(), 1_000, 0.01);
    filter.put("crow");
    assertThat(filter.ask("owl")).isEqualTo(Answer.NOT_HERE);
    server.ask("HSET", "{other}:config", "size", "19170");
    assertThat(filter.ask("crow")).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.ask("owl")).isEqualTo(Answer.UNKNOWN);
  }

  @Test
  void aLoadWithoutItsBitsFails() {
    Link evicting =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          void before(Command command) {
            String last = Command.text(command.arguments[command.arguments.length - 1]);
            if (command.name == Command.Name.EVAL && last.contains(":load:")) {
              server.ask("DEL", last);
            }
          }
        };
    WoodbirdRedis way = new WoodbirdRedis(evicting, Time.SYSTEM, Clients.PATIENCE, e -> {});
    RedissonFilter<String> filter =
        RedissonFilter.create(way, "load", RedissonKeys.strings(), 1_000, 0.01);
    assertThatThrownBy(() -> filter.load(List.of("crow").iterator()))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("LOST");
    way.close();
  }

  /** All of a call share one deadline. */
  @Test
  void aLongListIsPutInSeveralCalls() {
    List<Integer> scripts = new ArrayList<>();
    Link counting =
        new HeldLink(new RoutedLink(JedisWire.of(client), Clients.PATIENCE)) {
          @Override
          public Replies run(List<Command> commands, List<Command> after) {
            scripts.add(commands.size());
            return super.run(commands, after);
          }
        };
    WoodbirdRedis way = new WoodbirdRedis(counting, Time.SYSTEM, Clients.PATIENCE, e -> {});
    RedissonFilter<String> filter =
        RedissonFilter.create(way, "long", RedissonKeys.strings(), 10_000, 0.001);
    List<String> keys = IntStream.range(0, 2_350).mapToObj(i -> "key" + i).toList();
    scripts.clear();
    assertThat(filter.putAll(keys)).isBetween(2_300L, 2_350L);
    assertThat(scripts).as("of a hundred keys each").containsExactly(10, 10, 4);
    assertThat(filter.candidates(keys)).isEqualTo(keys);
    assertThat(filter.putAll(List.of())).isZero();
    way.close();
  }

  @Test
  void migratesWithTheKeys() {
    RedissonFilter<String> old =
        RedissonFilter.create(redis, "old", RedissonKeys.strings(), 10_000, 0.001);
    List<String> keys = IntStream.range(0, 5_000).mapToObj(i -> "key" + i).toList();
    old.putAll(keys);
    RedisBloomFilter<String> target = redis.bloom("new", Keys.strings(), 10_000).create();
    List<String> candidates = IntStream.range(0, 6_000).mapToObj(i -> "key" + i).toList();
    assertThat(old.migrate(candidates.iterator(), target)).isBetween(5_000L, 5_020L);
    assertThat(target.candidates(keys)).hasSize(5_000);
  }

  /** Bits that a put would make again look like all of them to a client that comes later. */
  @Test
  void aPutDoesNotTakeThePlaceOfLostBits() {
    RedissonFilter<String> filter =
        RedissonFilter.create(redis, "blind", RedissonKeys.strings(), 1_000, 0.01);
    filter.put("crow");
    assertThat(filter.ask("crow")).isEqualTo(Answer.MAYBE_HERE);
    server.ask("DEL", "blind");
    assertThatThrownBy(() -> filter.put("owl"))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("gone");
    assertThatThrownBy(() -> filter.load(List.of("owl").iterator()))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("gone");
    assertThat(server.ask("EXISTS", "blind")).isEqualTo(0L);
    RedissonFilter<String> later = RedissonFilter.open(redis, "blind", RedissonKeys.strings());
    assertThat(later.ask("crow")).isEqualTo(Answer.UNKNOWN);
  }

  /** A server that was demoted lacks what its successor takes; one that restarts may lack puts. */
  @Test
  void anotherLifeOfTheServerDeniesNothing() throws Exception {
    try (RedisServer own = RedisServer.start("--save", "3600 1");
        AutoCloseable its = Clients.JEDIS.server(own.port());
        WoodbirdRedis way = Clients.patient(its)) {
      RedissonFilter<String> filter =
          RedissonFilter.create(way, "lives", RedissonKeys.strings(), 1_000, 0.01);
      assertThat(filter.ask("crow")).isEqualTo(Answer.NOT_HERE);
      own.ask("REPLICAOF", "127.0.0.1", "1");
      assertThat(filter.ask("crow")).as("demoted").isEqualTo(Answer.UNKNOWN);
      assertThatThrownBy(() -> RedissonFilter.open(way, "lives", RedissonKeys.strings()))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("not a master");
      own.ask("REPLICAOF", "NO", "ONE");
      assertThat(filter.ask("crow")).as("promoted again").isEqualTo(Answer.UNKNOWN);
      RedissonFilter<String> again = RedissonFilter.open(way, "lives", RedissonKeys.strings());
      assertThat(again.ask("crow")).isEqualTo(Answer.NOT_HERE);
      own.ask("SAVE");
      again.put("crow");
      own.kill();
      own.startAgain("--save", "3600 1");
      assertThat(again.ask("crow")).as("an older dump").isEqualTo(Answer.UNKNOWN);
      assertThat(again.put("crow")).as("it was put before").isFalse();
    }
  }

  /** It knows how many bytes there are when it opens the filter, and how many it has written. */
  @Test
  void aWriterThatNeverAsks_doesNotTakeThePlaceOfLostBits() {
    RedissonFilter.create(redis, "unasked", RedissonKeys.strings(), 1_000, 0.01).put("crow");
    RedissonFilter<String> writer = RedissonFilter.open(redis, "unasked", RedissonKeys.strings());
    server.ask("DEL", "unasked");
    assertThatThrownBy(() -> writer.put("owl"))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("gone");

    redisson.getBloomFilter("theirs", StringCodec.INSTANCE).tryInit(1_000, 0.01);
    RedissonFilter<String> first = RedissonFilter.open(redis, "theirs", RedissonKeys.strings());
    assertThat(first.put("crow")).as("Redisson leaves the bits to the first put").isTrue();
    server.ask("DEL", "theirs");
    assertThatThrownBy(() -> first.put("owl"))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("gone");
    assertThat(server.ask("EXISTS", "unasked", "theirs")).isEqualTo(0L);
  }
}
