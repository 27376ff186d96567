package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Masters die under load, and a replica that may be behind takes over. */
final class FailoverTest {
  private static final int ABSENT = -7;
  private static final int WRITERS = 2;

  /** Kills without a pause. */
  private static final int BURST = 20;

  /** A server gives an election up after five seconds. */
  private static final long ELECTION_NANOS = 6_000_000_000L;

  /** A master votes for the replicas of one master once in two time-outs of a node. */
  private static final long VOTE_NANOS = 2_200_000_000L;

  private static final Durability REPLICA = Durability.replicas(1, Duration.ofMillis(800));

  @Test
  void noAcknowledgedPutIsLostAtTheLevelOfReplicas() throws Exception {
    run(20, REPLICA, false);
  }

  @Test
  void noAcknowledgedPutIsDeniedAtTheLevelOfTheMaster() throws Exception {
    run(20, Durability.master(), false);
  }

  /** The old master lives, becomes a replica of the new one, and takes over again from it. */
  @Test
  void noAcknowledgedPutIsLostWhenTheOldMasterReturns() throws Exception {
    run(10, REPLICA, true);
  }

  @Test
  @Tag("slow")
  void aThousandReturns() throws Exception {
    run(1000, REPLICA, true);
  }

  @Test
  @Tag("slow")
  void aThousandReturnsInACluster() throws Exception {
    inCluster(1000);
  }

  private void inCluster(int failovers) throws Exception {
    long capacity = 100_000 + 2_000L * failovers;
    try (RedisCluster cluster = RedisCluster.start(3, 1);
        AutoCloseable client =
            Clients.JEDIS.cluster(cluster.all().stream().map(RedisServer::port).toList());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis.bloom("f", Keys.longs(), capacity).fpp(0.001).durability(REPLICA).create();
      Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
      AtomicBoolean go = new AtomicBoolean(true);
      List<Thread> writers = writers(filter, acknowledged, go);
      long[] votedAt = new long[3];
      Arrays.fill(votedAt, System.nanoTime());
      for (int i = 0; i < failovers; i++) {
        int due = 6 * i;
        RedisCluster.until(() -> acknowledged.size() > due);
        int pair = i % 3;
        RedisServer began = cluster.masters().get(pair);
        RedisServer next = isMaster(began) ? cluster.replicas().get(pair) : began;
        awaitVotes(votedAt, pair);
        takeOver(next);
        RedisCluster.until(() -> cluster.all().stream().filter(s -> !isMaster(s)).count() == 3);
        RedisCluster.until(() -> cluster.all().stream().allMatch(FailoverTest::isLinked));
        if (i % BURST == BURST - 1 || i == failovers - 1) {
          List<Long> all = new ArrayList<>(acknowledged);
          comeBack(filter, all, false);
          assertThat(filter.candidates(all)).as("after %d", i + 1).hasSameSizeAs(all);
          if (i % (5 * BURST) == 5 * BURST - 1) {
            System.out.printf(
                "%d failovers, %d puts acknowledged, none denied%n", i + 1, all.size());
          }
        }
      }
      end(writers, go);
      List<Long> all = new ArrayList<>(acknowledged);
      comeBack(filter, all, false);
      assertThat(filter.candidates(all)).hasSameSizeAs(all);
    }
  }

  /**
   * Waits until the masters may vote for a change of this pair: a vote that is refused costs the
   * five seconds of an election.
   */
  private static void awaitVotes(long[] votedAt, int pair) throws InterruptedException {
    long left = votedAt[pair] + VOTE_NANOS - System.nanoTime();
    if (left > 0) {
      TimeUnit.NANOSECONDS.sleep(left);
    }
    votedAt[pair] = System.nanoTime();
  }

  /** Without a word to its master. Where an election is late, it must be asked for again. */
  private static void takeOver(RedisServer next) {
    long[] asked = {System.nanoTime() - ELECTION_NANOS};
    RedisCluster.until(
        () -> {
          if (isMaster(next)) {
            return true;
          }
          if (System.nanoTime() - asked[0] >= ELECTION_NANOS) {
            asked[0] = System.nanoTime();
            try {
              next.ask("CLUSTER", "FAILOVER", "FORCE");
            } catch (IllegalStateException e) {
              // It has just become the master.
            }
          }
          return false;
        });
  }

  private static boolean isMaster(RedisServer server) {
    return server.info("replication", "role").equals("master");
  }

  private static boolean isLinked(RedisServer server) {
    return isMaster(server) || server.info("replication", "master_link_status").equals("up");
  }

  private static void end(List<Thread> writers, AtomicBoolean go) throws InterruptedException {
    go.set(false);
    for (Thread writer : writers) {
      writer.join();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Durability.Level.class,
      names = {"REPLICAS", "MASTER"})
  @Tag("slow")
  void aThousandKills(Durability.Level level) throws Exception {
    run(500, level == Durability.Level.MASTER ? Durability.master() : REPLICA, false);
  }

  private static RedisServer replicaOf(RedisServer master) {
    RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
    RedisCluster.until(() -> replica.info("replication", "master_link_status").equals("up"));
    RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
    return replica;
  }

  /**
   * Lets a replica take over again and again.
   *
   * @param returns whether the old master lives and follows the new one; else it is killed
   */
  private void run(int kills, Durability durability, boolean returns) throws Exception {
    SplittableRandom random = new SplittableRandom(kills);
    boolean lags = durability.level() == Durability.Level.MASTER;
    long capacity = 100_000 + 2_000L * kills;
    RedisServer master = RedisServer.start();
    RedisServer replica = replicaOf(master);
    try (FaultProxy way = new FaultProxy(master.port());
        AutoCloseable client = Clients.JEDIS.server(way.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis
              .bloom("f", Keys.longs(), capacity)
              .fpp(0.001)
              .seed(5)
              .durability(durability)
              .create();
      RedisServer first = replica;
      RedisCluster.until(() -> "ready".equals("" + first.ask("HGET", "wbird:meta:f", "state:1")));
      Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
      AtomicBoolean go = new AtomicBoolean(true);
      List<Thread> writers = writers(filter, acknowledged, go);
      long withoutHealing = 0;
      for (int kill = 0; kill < kills; kill++) {
        Thread.sleep(20 + random.nextInt(60));
        int due = 6 * kill;
        RedisCluster.until(() -> acknowledged.size() > due);
        if (lags) {
          leaveBehind(replica, acknowledged);
          Thread.sleep(random.nextInt(40));
        }
        if (!returns) {
          master.kill();
        }
        if (!lags) {
          replica.ask("REPLICAOF", "NO", "ONE");
        }
        withoutHealing += lost(replica, new ArrayList<>(acknowledged), capacity);
        RedisServer old = master;
        master = replica;
        if (returns) {
          replica = old;
          old.ask("REPLICAOF", "127.0.0.1", "" + master.port());
          RedisCluster.until(() -> isLinked(old));
        } else {
          old.close();
          replica = replicaOf(master);
        }
        way.bendTo(master.port());
        if (kill % BURST == BURST - 1) {
          List<Long> all = new ArrayList<>(acknowledged);
          comeBack(filter, all, lags);
          assertThat(filter.candidates(all)).as("after %d kills", kill + 1).hasSameSizeAs(all);
        }
      }
      end(writers, go);
      List<Long> all = new ArrayList<>(acknowledged);
      System.out.printf(
          "%s: %d kills, %d puts acknowledged, %d times one was missing before it was healed%n",
          durability.level(), kills, all.size(), withoutHealing);
      assertThat(all.size()).isGreaterThan(kills * 5);
      assertThat(filter.candidates(all)).as("a writer").hasSize(all.size());
      comeBack(filter, all, false);
      assertThat(filter.candidates(all)).as("a writer, back").hasSize(all.size());
      try (AutoCloseable second = Clients.LETTUCE.server(way.port());
          WoodbirdRedis other = Clients.patient(second)) {
        RedisBloomFilter<Long> reader = other.bloom("f", Keys.longs(), capacity).fpp(0.001).open();
        assertThat(reader.ask((long) ABSENT)).isEqualTo(Answer.NOT_HERE);
        assertThat(reader.candidates(all)).as("a reader").hasSize(all.size());
      }
      if (lags) {
        assertThat(withoutHealing)
            .as("the control: what would be lost, a put with each kill")
            .isGreaterThanOrEqualTo(kills);
      } else {
        assertThat(withoutHealing).as("lost at the level of replicas").isZero();
      }
    } finally {
      master.close();
      replica.close();
    }
  }

  /**
   * Detaches a replica, and waits until the master has acknowledged a put that the replica never
   * gets. A replica that is only stopped may have the put in its socket, and read it later.
   */
  private static void leaveBehind(RedisServer replica, Queue<Long> acknowledged) {
    replica.ask("REPLICAOF", "NO", "ONE");
    int before = acknowledged.size();
    // Of each writer, the first put that is counted now may have been done before.
    RedisCluster.until(() -> acknowledged.size() > before + WRITERS);
  }

  /** At the level of replicas by itself; else a person puts all again, and says so. */
  private static void comeBack(RedisBloomFilter<Long> filter, List<Long> all, boolean byHand) {
    if (byHand) {
      assertThat(filter.candidates(all)).as("in doubt").hasSameSizeAs(all);
      assertThat(filter.ask((long) ABSENT)).isEqualTo(Answer.UNKNOWN);
      RedisCluster.until(
          () -> {
            try {
              filter.putAll(all);
              filter.trust();
              return true;
            } catch (RedisFilterException e) {
              return false;
            }
          });
    }
    try {
      RedisCluster.until(() -> filter.ask((long) ABSENT) == Answer.NOT_HERE);
    } catch (IllegalStateException e) {
      throw new AssertionError("still in doubt: " + filter.stats().doubts(), e);
    }
  }

  /** Counts keys whose bits a server lacks, whatever the filter's own caution says. */
  private static long lost(RedisServer server, List<Long> keys, long capacity) throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloom<Long> filter =
          (RedisBloom<Long>) redis.bloom("f", Keys.longs(), capacity).fpp(0.001).open();
      return RawBits.missing(filter, keys);
    }
  }

  private static List<Thread> writers(
      RedisBloomFilter<Long> filter, Queue<Long> acknowledged, AtomicBoolean go) {
    AtomicLong next = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      Thread thread =
          new Thread(
              () -> {
                while (go.get()) {
                  long key = next.getAndIncrement();
                  try {
                    filter.putLong(key);
                    acknowledged.add(key);
                  } catch (RedisFilterException e) {
                    Thread.yield(); // Not acknowledged, so not counted.
                  }
                }
              });
      thread.start();
      threads.add(thread);
    }
    return threads;
  }
}
