package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** With any client and any number of threads, no call outlasts its time-out by much. */
class DeadlineTest {
  private static final int THREADS = 150;
  private static final List<Long> KEYS = LongStream.range(0, 1000).boxed().toList();

  private static long calls(RedisServer server, String command) {
    String line = server.info("commandstats", "cmdstat_" + command);
    return line.isEmpty() ? 0 : Long.parseLong(line.replaceAll("calls=([0-9]+),.*", "$1"));
  }

  /**
   * R14: a pool of eight connections and a frozen server. Threads that waited for each other took
   * many times the time-out; the bound leaves room for a busy machine.
   */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void manyThreadsAndAFrozenServer(Clients clients) throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = clients.server(server.port())) {
      Duration brief = Clients.brief(server, Duration.ofMillis(500));
      try (WoodbirdRedis redis = WoodbirdRedis.using(client, brief, event -> {})) {
        RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
        AtomicLong worst = new AtomicLong();
        AtomicLong unknown = new AtomicLong();
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
          long key = i;
          Thread thread =
              new Thread(
                  () -> {
                    awaitQuietly(go);
                    long began = System.nanoTime();
                    if (key % 2 == 0) {
                      unknown.addAndGet(filter.ask(key) == Answer.UNKNOWN ? 1 : 0);
                    } else {
                      unknown.addAndGet(fails(filter, key) ? 1 : 0);
                    }
                    worst.accumulateAndGet(System.nanoTime() - began, Math::max);
                  });
          thread.start();
          threads.add(thread);
        }
        server.freeze();
        go.countDown();
        for (Thread thread : threads) {
          thread.join();
        }
        server.thaw();
        assertThat(unknown.get()).isEqualTo(THREADS);
        assertThat(Duration.ofNanos(worst.get())).isLessThan(brief.multipliedBy(4).plusSeconds(1));
      }
    }
  }

  private static boolean fails(RedisBloomFilter<Long> filter, long key) {
    try {
      filter.put(key);
      return false;
    } catch (RedisFilterException e) {
      return true;
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** R15: what is not answered stays in the memory of Lettuce. So nothing more is sent. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void nothingMoreIsSentToASilentServer(Clients clients) throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = clients.server(server.port())) {
      Duration brief = Clients.brief(server, Duration.ofMillis(100));
      try (WoodbirdRedis redis = WoodbirdRedis.using(client, brief, event -> {})) {
        RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
        filter.putAll(KEYS);
        long before = calls(server, "getrange");
        server.freeze();
        for (int i = 0; i < 20; i++) {
          assertThat(filter.candidates(KEYS)).hasSize(1000);
        }
        server.thaw();
        RedisCluster.until(() -> filter.ask(-1L) == Answer.NOT_HERE);
        // 20 batches would be 20,000; each client has some on their way when it notices.
        assertThat(calls(server, "getrange") - before).isLessThan(12_000);
      }
    }
  }

  /** R15: a put that waits for a replica does not hold up questions, with any client. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void aPutThatWaitsForAReplicaHoldsUpNoQuestion(Clients clients) throws Exception {
    try (RedisServer server = RedisServer.start("--repl-diskless-sync-delay", "0");
        RedisServer replica = RedisServer.start();
        AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      replica.ask("REPLICAOF", "127.0.0.1", Integer.toString(server.port()));
      RedisCluster.until(() -> "up".equals(replica.info("replication", "master_link_status")));
      RedisBloomFilter<Long> filter =
          redis
              .bloom("f", Keys.longs(), 1000)
              .durability(Durability.replicas(1, Duration.ofSeconds(8)))
              .create();
      filter.put(1L);
      filter.ask(2L);
      replica.freeze();
      List<Thread> puts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        long key = 10 + i;
        Thread put =
            new Thread(
                () -> {
                  try {
                    filter.put(key);
                  } catch (RedisFilterException e) {
                    // Nobody confirmed it in time.
                  }
                });
        put.start();
        puts.add(put);
      }
      RedisCluster.until(() -> "4".equals(server.info("clients", "blocked_clients")));
      for (int i = 0; i < 50; i++) {
        Answer unused = filter.ask(2L);
      }
      assertThat(puts).as("still wait").allMatch(Thread::isAlive);
      replica.thaw();
      for (Thread put : puts) {
        put.join();
      }
    }
  }

  /** R19: a batch of keys of two blocks is grouped by shard, in one pipeline. */
  @Test
  void aBatchOfTwoBlocksTakesFewCommands() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 50_000).fpp(1e-4).create();
      long before = calls(server, "bitfield") + calls(server, "bitfield_ro");
      long bytes = Long.parseLong(server.info("stats", "total_net_input_bytes"));
      filter.putAll(LongStream.range(0, 10_000).boxed().toList());
      long sent = calls(server, "bitfield") + calls(server, "bitfield_ro") - before;
      bytes = Long.parseLong(server.info("stats", "total_net_input_bytes")) - bytes;
      // 48 shards, three commands each, for 1,000 keys.
      assertThat(sent).isBetween(1_000L, 1_600L);
      assertThat(bytes / 10_000).as("bytes a key").isLessThan(700);
    }
  }
}
