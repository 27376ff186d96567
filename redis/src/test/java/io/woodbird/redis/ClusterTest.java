package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.cluster.RedisClusterClient;
import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.LettuceWire;
import io.woodbird.redis.link.RedisError;
import io.woodbird.redis.link.Slots;
import io.woodbird.redis.link.Wire;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three masters with a replica each: even load, slots that move, masters that die. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ClusterTest {
  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.start(3, 1);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  private static AutoCloseable client(Clients clients) {
    return clients.cluster(cluster.masters().stream().map(RedisServer::port).toList());
  }

  private static List<Long> range(long from, long to) {
    return LongStream.range(from, to).boxed().toList();
  }

  @Order(1)
  @ParameterizedTest
  @EnumSource(Clients.class)
  void commandsAreSpreadEvenly(Clients clients) throws Exception {
    try (AutoCloseable client = client(clients);
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis.bloom("spread" + clients, Keys.longs(), 100_000).fpp(0.01).create();
      List<Long> calls = calls();
      assertThat(filter.putAll(range(0, 20_000))).isGreaterThan(19_700);
      assertThat(filter.candidates(range(0, 20_000))).hasSize(20_000);
      List<Long> after = calls();
      List<Double> shares = new ArrayList<>();
      double total = 0;
      for (int i = 0; i < 3; i++) {
        total += after.get(i) - calls.get(i);
      }
      for (int i = 0; i < 3; i++) {
        shares.add((after.get(i) - calls.get(i)) / total);
      }
      assertThat(total).isGreaterThan(20_000);
      assertThat(shares).allMatch(share -> share > 0.9 / 3 && share < 1.1 / 3);
    }
  }

  private static List<Long> calls() {
    return cluster.masters().stream()
        .map(server -> calls(server, "getrange") + calls(server, "bitfield"))
        .toList();
  }

  private static long calls(RedisServer server, String command) {
    String line = server.info("commandstats", "cmdstat_" + command);
    return line.isEmpty() ? 0 : Long.parseLong(line.replaceAll("calls=([0-9]+),.*", "$1"));
  }

  @Order(2)
  @ParameterizedTest
  @EnumSource(Clients.class)
  void pairsOfBlocksOnTwoNodes(Clients clients) throws Exception {
    try (AutoCloseable client = client(clients);
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter =
          redis.bloom("pairs" + clients, Keys.longs(), 10_000).fpp(1e-6).seed(7).create();
      assertThat(filter.putLong(1L)).isTrue();
      assertThat(filter.putLong(1L)).isFalse();
      assertThat(filter.putAll(range(0, 10_000))).isBetween(9_800L, 9_999L);
      assertThat(filter.candidates(range(0, 20_000))).isEqualTo(range(0, 10_000));
      filter.load(range(20_000, 20_100).iterator());
      assertThat(filter.candidates(range(20_000, 20_100))).hasSize(100);
      assertThat(filter.stats().doubts()).isEmpty();
    }
  }

  /** The application may use the client too, and a look at the cluster connects to every node. */
  @Order(3)
  @Test
  void onlyABreakOfItsOwnConnection_spoilsACall() throws Exception {
    RedisServer master = cluster.masters().get(0);
    Queue<Object> broken = new ConcurrentLinkedQueue<>();
    try (RedisClusterClient client = (RedisClusterClient) client(Clients.LETTUCE);
        Wire wire = LettuceWire.of(client)) {
      client.addListener(
          new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
              broken.add(connection);
            }
          });
      long end = System.nanoTime() + Clients.PATIENCE.toNanos();
      Command put = Command.of(Command.Name.SET, "{" + Slots.tag(0, 3) + "}", "value");
      String node = wire.nodeOf(Slots.of(put.key()), end);
      assertThat(node).endsWith(":" + master.port());

      Supplier<List<Object>> sent = wire.start(node, List.of(put), end);
      client.connect().close();
      client.refreshPartitions();
      RedisCluster.until(() -> !broken.isEmpty());
      assertThat(sent.get()).noneMatch(RedisError.class::isInstance);

      broken.clear();
      Supplier<List<Object>> cut = wire.start(node, List.of(put), end);
      master.ask("CLIENT", "KILL", "TYPE", "normal");
      RedisCluster.until(() -> !broken.isEmpty());
      assertThat(wire.start(node, List.of(put), end).get()).isNotNull();
      RedisCluster.until(
          () ->
              wire.start(node, List.of(put), end).get().stream()
                  .noneMatch(RedisError.class::isInstance));
      assertThat(cut.get())
          .as("%s may have come over the next one", cut)
          .allMatch(RedisError.class::isInstance);
    }
  }

  /** A look at a cluster connects to each node. Here it can't end, as one node stands still. */
  @Order(4)
  @Test
  void callersThatLookWhereTheNodesAre_shareOneLook() throws Exception {
    RedisServer still = cluster.replicas().get(0);
    int calls = 30;
    try (RedisClusterClient client = (RedisClusterClient) client(Clients.LETTUCE);
        Wire wire = LettuceWire.of(client)) {
      wire.relearn(System.nanoTime() + Clients.PATIENCE.toNanos());
      long before = calls(cluster.masters().get(1), "cluster|nodes");
      still.freeze();
      for (int i = 0; i < calls; i++) {
        wire.relearn(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(5));
      }
      still.thaw();
      wire.relearn(System.nanoTime() + Clients.PATIENCE.toNanos());
      assertThat(calls(cluster.masters().get(1), "cluster|nodes") - before)
          .as("looks, a new one each second at most")
          .isLessThan(calls / 2);
    }
  }

  @Order(5)
  @Test
  void slotsMoveAndMastersDieUnderLoad() throws Exception {
    try (AutoCloseable client = client(Clients.JEDIS);
        WoodbirdRedis redis = Clients.patient(client);
        AutoCloseable second = client(Clients.LETTUCE);
        WoodbirdRedis other = Clients.patient(second)) {
      RedisBloomFilter<Long> writer =
          redis.bloom("moves", Keys.longs(), 200_000).fpp(0.01).seed(9).create();
      RedisBloomFilter<Long> reader =
          other.bloom("moves", Keys.longs(), 200_000).fpp(0.01).create();
      Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
      AtomicBoolean go = new AtomicBoolean(true);
      AtomicLong denied = new AtomicLong();
      AtomicLong failed = new AtomicLong();
      Thread puts = new Thread(() -> put(writer, acknowledged, go, failed));
      Thread asks = new Thread(() -> ask(reader, acknowledged, go, denied));
      puts.start();
      asks.start();
      RedisServer first = cluster.masters().get(0);
      RedisServer last = cluster.masters().get(2);
      goesOn(acknowledged);
      for (int slot = 0; slot < 5461; slot++) {
        // The slots that hold shards of the filter; the others are empty and move unseen.
        if (((List<?>) first.ask("CLUSTER", "GETKEYSINSLOT", "" + slot, "1")).isEmpty()) {
          continue;
        }
        cluster.move(slot, first, last);
        slot += 300;
      }
      goesOn(acknowledged);
      for (int i = 0; i < 2; i++) {
        RedisServer master = cluster.masters().get(i);
        RedisServer replica = cluster.replicas().get(i);
        master.kill();
        RedisCluster.until(() -> replica.info("replication", "role").equals("master"));
        cluster.awaitReady();
        goesOn(acknowledged);
      }
      go.set(false);
      puts.join();
      asks.join();
      List<Long> all = new ArrayList<>(acknowledged);
      assertThat(denied).hasValue(0);
      assertThat(all.size()).isGreaterThan(1000);
      assertThat(writer.candidates(all)).hasSize(all.size());
      assertThat(reader.candidates(all)).hasSize(all.size());
      assertThat(reader.candidates(range(10_000_000, 10_010_000)).size()).isGreaterThan(200);
      writer.putAll(
          all); // Some are lost: the master alone had them. Only a person can end the doubt.
      writer.trust();
      RedisCluster.until(() -> writer.ask(-3L) == Answer.NOT_HERE);
      RedisCluster.until(() -> reader.ask(-3L) == Answer.NOT_HERE);
      assertThat(reader.candidates(all)).hasSize(all.size());
      // Trusted everywhere: the reader answers, and does not only shrug.
      List<Long> absent = range(10_000_000, 10_010_000);
      RedisCluster.until(() -> reader.candidates(absent).size() < 200);
      assertThat(reader.candidates(all)).hasSize(all.size());
    }
  }

  /** Waits until some more puts are done. */
  private static void goesOn(Queue<Long> acknowledged) {
    int now = acknowledged.size();
    RedisCluster.until(() -> acknowledged.size() > now + 300);
  }

  private static void put(
      RedisBloomFilter<Long> filter,
      Queue<Long> acknowledged,
      AtomicBoolean go,
      AtomicLong failed) {
    for (long key = 0; go.get(); key++) {
      try {
        filter.putLong(key);
        acknowledged.add(key);
      } catch (RedisFilterException e) {
        failed.incrementAndGet();
      }
    }
  }

  private static void ask(
      RedisBloomFilter<Long> filter,
      Queue<Long> acknowledged,
      AtomicBoolean go,
      AtomicLong denied) {
    while (go.get()) {
      List<Long> now = new ArrayList<>(acknowledged);
      List<Long> some = now.subList(Math.max(0, now.size() - 500), now.size());
      denied.addAndGet(some.size() - filter.candidates(some).size());
    }
  }
}
