package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RBloomFilter;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** What Redisson does with the failures of {@link LostDataTest}: shown, not judged. */
@Tag("slow")
final class RedissonLossTest {
  private static final int KEYS = 100_000;
  private static final int BATCH = 5_000;
  private static final List<String> ALL =
      IntStream.range(0, KEYS).mapToObj(i -> "key" + i).toList();

  private RedisServer server;
  private RedissonClient redisson;
  private RBloomFilter<String> filter;

  @BeforeEach
  void fill() {
    server = RedisServer.start();
    Config config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config
        .useSingleServer()
        .setAddress("redis://127.0.0.1:" + server.port())
        .setTimeout((int) Clients.PATIENCE.toMillis());
    redisson = Redisson.create(config);
    filter = redisson.getBloomFilter("f");
    filter.tryInit(KEYS, 0.01);
    for (int from = 0; from < KEYS; from += BATCH) {
      filter.add(ALL.subList(from, from + BATCH));
    }
    assertThat(denied(filter)).isZero();
  }

  @AfterEach
  void stop() {
    redisson.shutdown();
    server.close();
  }

  private static long denied(RBloomFilter<String> asked) {
    long denied = KEYS;
    for (int from = 0; from < KEYS; from += BATCH) {
      denied -= asked.contains(ALL.subList(from, from + BATCH));
    }
    return denied;
  }

  private static void show(String what, RBloomFilter<String> asked) {
    String result;
    try {
      result = String.format(Locale.ROOT, "denies %,d of %,d keys", denied(asked), KEYS);
    } catch (RuntimeException e) {
      result = "throws " + e;
    }
    System.out.println("Redisson, " + what + ": " + result);
  }

  @Test
  void deleted() {
    server.ask("DEL", "f");
    show("bits deleted", filter);
    filter.add("key0");
    show("bits deleted, and made anew by one add", filter);
  }

  @Test
  void flushed() {
    server.ask("FLUSHALL");
    show("flushed", filter);
  }

  @ParameterizedTest
  @ValueSource(strings = {"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-ttl"})
  void evicted(String policy) {
    if (policy.startsWith("volatile")) {
      server.ask("PEXPIRE", "f", "3600000");
    }
    server.ask("CONFIG", "SET", "maxmemory-policy", policy);
    server.ask("CONFIG", "SET", "maxmemory", "4mb");
    String junk = "x".repeat(10_000);
    for (int i = 0; i < 4_000 && Long.valueOf(1).equals(server.ask("EXISTS", "f")); i++) {
      try {
        server.ask("SET", "junk" + i, junk);
      } catch (IllegalStateException e) {
        break; // Out of memory: what may be evicted is.
      }
    }
    server.ask("CONFIG", "SET", "maxmemory", "0");
    show("bits evicted, " + policy, filter);
  }

  @Test
  void expired() throws Exception {
    server.ask("PEXPIRE", "f", "1");
    Thread.sleep(20);
    show("bits expired", filter);
  }

  @Test
  void renamedOver() {
    server.ask("SETBIT", "other", "7", "1");
    server.ask("RENAME", "other", "f");
    show("another value renamed over the bits", filter);
  }

  @Test
  void aForeignValue() {
    server.ask("SET", "f", "a foreign value");
    show("a foreign value in the place of the bits", filter);
  }

  @Test
  void aBlindSetbit() {
    server.ask("DEL", "f");
    server.ask("SETBIT", "f", "958505", "1");
    show("bits made anew by a blind SETBIT", filter);
  }

  @Test
  void restartedWithNothing() {
    server.kill();
    server.startAgain();
    show("restarted without persistence", filter);
  }

  @Test
  void restartedWithAnOlderDump() throws Exception {
    server.ask("DEL", "f");
    filter.add(ALL.subList(0, KEYS / 2));
    server.ask("SAVE");
    Path dump = server.folder().resolve("dump.rdb");
    Path old = server.folder().resolve("old.rdb");
    Files.copy(dump, old);
    filter.add(ALL.subList(KEYS / 2, KEYS));
    server.kill();
    Files.copy(old, dump, StandardCopyOption.REPLACE_EXISTING);
    server.startAgain("--save", "3600 1");
    show("a dump from before the second half of the puts", filter);
  }

  @Test
  void otherParameters() {
    RBloomFilter<String> other = redisson.getBloomFilter("f");
    boolean made = other.tryInit(KEYS / 2, 0.01);
    show("asked by a client with another capacity, which was told " + made, other);
  }
}
