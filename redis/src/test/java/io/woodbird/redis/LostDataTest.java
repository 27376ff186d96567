package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The law in Redis: whatever happens to the data, no key that was put is "not here". */
final class LostDataTest {
  private static final int KEYS = 100_000;

  private final List<RedisEvent> events = Collections.synchronizedList(new ArrayList<>());
  private RedisServer server;
  private AutoCloseable client;
  private WoodbirdRedis redis;
  private RedisBloomFilter<Long> filter;

  @BeforeEach
  void fill() {
    start();
  }

  private void start(String... options) {
    server = RedisServer.start(options);
    client = Clients.JEDIS.server(server.port());
    redis = WoodbirdRedis.using(client, Clients.PATIENCE, events::add);
    filter = open();
    filter.load(LongStream.range(0, KEYS).iterator());
    filter.putLong(0L);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
  }

  private RedisBloomFilter<Long> open() {
    return redis.bloom("f", Keys.longs(), KEYS).fpp(0.01).seed(2).create();
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    client.close();
    server.close();
  }

  private List<String> shards() {
    return ((List<?>) server.ask("KEYS", "wbird:{*}:f:*")).stream().map(Object::toString).toList();
  }

  /** Asks for all keys that were put; none may be denied. */
  private void assertNoneDenied(Cause... causes) {
    List<Long> all = LongStream.range(0, KEYS).boxed().toList();
    assertThat(filter.candidates(all)).hasSize(KEYS);
    for (long key = 0; key < 200; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
    assertThat(seen()).containsAll(Set.of(causes));
    for (Cause cause : causes) {
      assertThat(filter.stats().doubts()).anyMatch(doubt -> doubt.startsWith(cause.name()));
    }
  }

  private Set<Cause> seen() {
    return events.stream().map(RedisEvent::cause).collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void allIsWell() {
    assertNoneDenied();
    assertThat(events).isEmpty();
  }

  @Test
  void deleted() {
    server.ask("DEL", shards().get(0));
    assertNoneDenied(Cause.DELETED);
    shards().forEach(key -> server.ask("DEL", key));
    assertNoneDenied(Cause.DELETED);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> filter.putLong(1L))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("is gone");
    assertThat(shards()).as("a put that failed leaves nothing behind").isEmpty();
  }

  @Test
  void flushed() {
    server.ask("FLUSHALL");
    assertNoneDenied(Cause.FLUSHED);
    assertThatThrownBy(() -> filter.putLong(1L)).isInstanceOf(RedisFilterException.class);
    assertThatThrownBy(() -> redis.bloom("f", Keys.longs(), KEYS).fpp(0.01).seed(2).open())
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("there is no filter f");
    assertThat((Long) server.ask("DBSIZE")).isZero();
  }

  @Test
  void flushedAndMadeAnewByAnotherClient() throws Exception {
    server.ask("FLUSHALL");
    try (AutoCloseable second = Clients.JEDIS.server(server.port());
        WoodbirdRedis other = Clients.patient(second)) {
      other.bloom("f", Keys.longs(), KEYS).fpp(0.01).create().put(5L);
      assertNoneDenied(Cause.OVERWRITTEN);
      assertThatThrownBy(() -> filter.putLong(1L)).isInstanceOf(RedisFilterException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "allkeys-lru",
        "allkeys-lfu",
        "allkeys-random",
        "volatile-lru",
        "volatile-lfu",
        "volatile-random",
        "volatile-ttl"
      })
  void evicted(String policy) {
    if (policy.startsWith("volatile")) {
      shards().forEach(key -> server.ask("PEXPIRE", key, "3600000"));
      assertThat(filter.health().risks()).anyMatch(risk -> risk.contains("time to live"));
    }
    server.ask("CONFIG", "SET", "maxmemory-policy", policy);
    server.ask("CONFIG", "SET", "maxmemory", "4mb");
    if (policy.startsWith("allkeys")) {
      assertThat(filter.health().risks()).anyMatch(risk -> risk.contains(policy));
    }
    String junk = "x".repeat(10_000);
    for (int i = 0; i < 4_000 && shards().size() > 40; i++) {
      try {
        server.ask("SET", "junk" + i, junk);
      } catch (IllegalStateException e) {
        break; // Out of memory, with a policy that may evict only what expires.
      }
    }
    assertThat(Long.parseLong(server.info("stats", "evicted_keys"))).isPositive();
    assertThat(shards()).hasSizeLessThan(48);
    assertNoneDenied(Cause.EVICTED);
  }

  @Test
  void noEvictionMeansThatPutsFail() {
    server.ask("CONFIG", "SET", "maxmemory", "1mb");
    assertThatThrownBy(() -> filter.putLong(1L))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("OOM");
    assertThat(filter.candidates(LongStream.range(0, KEYS).boxed().toList())).hasSize(KEYS);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void expired() throws Exception {
    shards().forEach(key -> server.ask("PEXPIRE", key, "1"));
    Thread.sleep(20);
    assertNoneDenied(Cause.EXPIRED);
  }

  @Test
  void renamedOver() {
    List<String> shards = shards();
    server.ask("RENAME", shards.get(0), shards.get(1));
    assertNoneDenied(Cause.DELETED, Cause.OVERWRITTEN);
  }

  @Test
  void aForeignValue() {
    List<String> shards = shards();
    server.ask("SET", shards.get(0), "a foreign value");
    server.ask("SET", shards.get(1), "\0".repeat(100_000));
    server.ask("DEL", shards.get(2));
    server.ask("HSET", shards.get(2), "a", "b");
    assertNoneDenied(Cause.OVERWRITTEN, Cause.REMADE);
    shards.forEach(key -> server.ask("SET", key, "a foreign value"));
    assertThatThrownBy(() -> filter.putLong(1L))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("a foreign value");
    for (String key : shards) {
      server.ask("DEL", key);
      server.ask("HSET", key, "a", "b");
    }
    assertThatThrownBy(() -> filter.putLong(1L))
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("another type");
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
  }

  @Test
  void aBlindSetbitMakesItAnew() {
    for (String key : shards()) {
      String length = "" + server.ask("STRLEN", key);
      server.ask("DEL", key);
      server.ask("SETBIT", key, "" + (8 * Long.parseLong(length) - 1), "1");
    }
    assertNoneDenied(Cause.REMADE);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
  }

  @Test
  void restartedWithNothing() {
    server.kill();
    List<Long> some = LongStream.range(0, 100).boxed().toList();
    assertThat(filter.candidates(some)).hasSize(100);
    assertThat(seen()).containsAnyOf(Cause.UNREACHABLE);
    assertThatThrownBy(() -> filter.putLong(1L)).isInstanceOf(RedisFilterException.class);
    server.startAgain();
    assertNoneDenied(Cause.RESTARTED);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
  }

  @Test
  void restartedWithAnOlderDump() throws Exception {
    server.ask("SAVE");
    Path dump = server.folder().resolve("dump.rdb");
    Path old = server.folder().resolve("old.rdb");
    Files.copy(dump, old);
    List<Long> later = LongStream.range(KEYS, KEYS + 5_000).boxed().toList();
    filter.putAll(later);
    server.kill();
    Files.copy(old, dump, StandardCopyOption.REPLACE_EXISTING);
    server.startAgain("--save", "3600 1");
    // Another client, which has seen nothing, must not deny what this one has put.
    try (AutoCloseable second = Clients.LETTUCE.server(server.port());
        WoodbirdRedis other = Clients.patient(second)) {
      RedisBloomFilter<Long> fresh = other.bloom("f", Keys.longs(), KEYS).fpp(0.01).create();
      assertThat(fresh.candidates(later)).isEqualTo(later);
      assertThat(fresh.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      assertThat(fresh.stats().doubts()).anyMatch(doubt -> doubt.startsWith("RESTARTED"));
      // Nobody can know what is missing, so a person must say that all is there.
      assertThat(filter.candidates(later)).isEqualTo(later);
      assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      filter.putAll(later);
      filter.trust();
      assertThat(seen()).contains(Cause.RESTARTED, Cause.HEALED);
      assertThat(filter.ask(-1L)).as("%s", events).isEqualTo(Answer.NOT_HERE);
      RedisCluster.until(() -> fresh.ask(-1L) == Answer.NOT_HERE);
      assertThat(fresh.candidates(later)).isEqualTo(later);
    }
  }

  @Test
  void restartedWithADumpFromBeforeALoadIsNotVouchedFor() throws Exception {
    server.ask("SAVE");
    filter.load(LongStream.range(KEYS, KEYS + 5_000).iterator());
    server.kill();
    server.startAgain("--save", "3600 1");
    List<Long> later = LongStream.range(KEYS, KEYS + 5_000).boxed().toList();
    assertThat(filter.candidates(later)).isEqualTo(later);
    Thread.sleep(60);
    assertThat(filter.candidates(later)).isEqualTo(later);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    filter.load(later.iterator());
    filter.trust();
    assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
    assertThat(filter.candidates(later)).isEqualTo(later);
  }

  @Test
  void theWriterIsGoneAndADumpComesBack() throws Exception {
    server.ask("SAVE");
    List<Long> later = LongStream.range(KEYS, KEYS + 1_000).boxed().toList();
    filter.putAll(later);
    filter.close();
    server.kill();
    server.startAgain("--save", "3600 1");
    filter = open();
    assertThat(filter.candidates(later)).isEqualTo(later);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.stats().doubts()).anyMatch(doubt -> doubt.startsWith("RESTARTED"));
    filter.trust();
    assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void anOlderValueOfOneShardComesBack() throws Exception {
    List<String> shards = shards();
    List<Long> later = LongStream.range(KEYS, KEYS + 2_000).boxed().toList();
    for (String key : shards) {
      server.ask("COPY", key, key + ":backup");
    }
    filter.putAll(later);
    for (String key : shards) {
      server.ask("RENAME", key + ":backup", key);
    }
    assertThat(filter.candidates(later)).isEqualTo(later);
    assertThat(seen()).contains(Cause.ROLLED_BACK);
    assertThat(filter.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    filter.putAll(later);
    filter.trust();
    assertThat(filter.ask(-1L)).isEqualTo(Answer.NOT_HERE);
    assertThat(filter.candidates(later)).isEqualTo(later);
  }

  @Test
  void theRecordIsLost() throws Exception {
    server.ask("DEL", "wbird:meta:f");
    assertNoneDenied();
    assertThatThrownBy(this::open)
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("its record is lost");
    assertThat(server.ask("EXISTS", "wbird:meta:f")).isEqualTo(0L);
    assertNoneDenied();
  }

  @Test
  void closedAnswersUnknown() {
    filter.close();
    assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
    assertThatThrownBy(() -> filter.putLong(1L)).isInstanceOf(IllegalStateException.class);
  }

  /** A later version may keep keys in another way: where this one would look, they are not. */
  @Test
  void theRecordOfALaterVersionIsRefused() {
    String record = "wbird:meta:f";
    String text = "" + server.ask("HGET", record, "gen:1");
    server.ask("HSET", record, "format", "2");
    assertThatThrownBy(this::open)
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("format 2");
    assertThatThrownBy(() -> redis.find("f")).isInstanceOf(RedisFilterException.class);
    server.ask("HSET", record, "format", "1");
    for (String later :
        List.of(
            text.replace(" hasher=", " spread=3 hasher="),
            text.replace("Bits=1", "Bits=2"),
            text.replaceAll("Blocks=[0-9]+", "Blocks=0"),
            text.replaceAll("Blocks=[0-9]+", "Blocks=999999999"),
            text.replaceAll(" blocks=[0-9]+", " blocks=-1"),
            text.replaceAll(" blocks=[0-9]+", " blocks=99999999999"))) {
      server.ask("HSET", record, "gen:1", later);
      assertThatThrownBy(() -> redis.open("f", Keys.longs()))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("can't be read");
    }
    server.ask("HSET", record, "gen:1", text);
    assertThat(open().ask(5L)).isEqualTo(Answer.MAYBE_HERE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"current", "built:1"})
  void aNumberOfTheRecordThatIsDamaged_isDoubt(String field) {
    server.ask("HSET", "wbird:meta:f", field, "1 2 one");
    shards().forEach(shard -> server.ask("UNLINK", shard));
    assertThat(filter.ask(5L)).isEqualTo(Answer.UNKNOWN);
    assertThat(seen()).contains(Cause.OVERWRITTEN);
    assertThatThrownBy(() -> filter.putLong(5L)).isInstanceOf(RedisFilterException.class);
  }

  @Test
  void aListenerThatFails_failsNoQuestion() throws Exception {
    Thread thread = Thread.currentThread();
    List<Throwable> told = new ArrayList<>();
    thread.setUncaughtExceptionHandler((of, e) -> told.add(e));
    try (AutoCloseable other = Clients.JEDIS.server(server.port());
        WoodbirdRedis angry =
            WoodbirdRedis.using(
                other,
                Clients.PATIENCE,
                event -> {
                  throw new IllegalStateException("of the listener");
                })) {
      RedisFilter<Long> asked = angry.open("f", Keys.longs());
      shards().forEach(shard -> server.ask("UNLINK", shard));
      assertThat(asked.ask(5L)).isEqualTo(Answer.UNKNOWN);
      assertThat(told).isNotEmpty().allMatch(IllegalStateException.class::isInstance);
    } finally {
      thread.setUncaughtExceptionHandler(null);
    }
  }
}
