package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.Keys;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A put counts as done when a disk or replicas have it, and not before. */
final class DurabilityTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Durability DISK = Durability.disk(0, PATIENCE);

  /** The first program that knows WAITAOF, which came with Redis 7.2; the test is left out else. */
  private static Path withWaitAof() {
    Optional<Path> program =
        RedisServer.programs().stream()
            .filter(
                each -> {
                  try (RedisServer server = RedisServer.start(each)) {
                    return server.knows("waitaof");
                  }
                })
            .findFirst();
    Assumptions.assumeTrue(program.isPresent(), "no server here knows WAITAOF");
    return program.orElseThrow();
  }

  private static RedisBloomFilter<Long> open(WoodbirdRedis redis, Durability durability) {
    return redis.bloom("f", Keys.longs(), 10_000).fpp(1e-4).seed(6).durability(durability).create();
  }

  /** Killed as soon as a put is acknowledged, or in the middle of others; the writer dies too. */
  @ParameterizedTest
  @CsvSource({"always, JEDIS", "everysec, JEDIS", "always, LETTUCE"})
  void whatTheDiskHasIsThereAfterAKill(String fsync, Clients clients) throws Exception {
    String[] options = {"--appendonly", "yes", "--appendfsync", fsync};
    Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
    try (RedisServer server = RedisServer.start(withWaitAof(), options)) {
      int rounds = clients == Clients.LETTUCE ? 1 : fsync.equals("always") ? 8 : 2;
      for (int round = 0; round < rounds; round++) {
        try (AutoCloseable client = clients.server(server.port());
            WoodbirdRedis redis = Clients.patient(client)) {
          RedisBloomFilter<Long> filter = open(redis, DISK);
          Thread other = new Thread(new Puts(filter, acknowledged, 1_000_000L * (round + 1)));
          other.start();
          long mine = round * 100L;
          for (int i = 0; i <= round; i++) {
            filter.putLong(mine + i);
            acknowledged.add(mine + i);
          }
          server.kill();
          other.join();
        }
        server.startAgain(options);
        try (AutoCloseable client = clients.server(server.port());
            WoodbirdRedis redis = Clients.patient(client)) {
          // A stranger vouches for all, as each put was confirmed.
          RedisBloomFilter<Long> reader = open(redis, DISK);
          List<Long> all = List.copyOf(acknowledged);
          RedisCluster.until(() -> reader.ask(-1L) == Answer.NOT_HERE);
          assertThat(reader.candidates(all)).isEqualTo(all);
          assertThat(RawBits.missing((RedisBloom<Long>) reader, all)).isZero();
        }
      }
      assertThat(acknowledged).hasSizeGreaterThan(rounds);
    }
  }

  /** Puts until the server is gone. */
  private record Puts(RedisBloomFilter<Long> filter, Queue<Long> acknowledged, long from)
      implements Runnable {
    @Override
    public void run() {
      for (long key = from; ; key++) {
        try {
          filter.putLong(key);
          acknowledged.add(key);
        } catch (RedisFilterException e) {
          return;
        }
      }
    }
  }

  @Test
  void aPutThatNoReplicaConfirmsFails() throws Exception {
    try (RedisServer alone = RedisServer.start()) {
      fails(alone, Durability.replicas(1, Duration.ofMillis(200)), "the server says 0");
    }
  }

  @Test
  void aPutThatNoDiskConfirmsFails() throws Exception {
    Path program = withWaitAof();
    try (RedisServer noFile = RedisServer.start(program);
        RedisServer noSync = RedisServer.start(program, "--appendonly", "yes");
        RedisServer alone =
            RedisServer.start(program, "--appendonly", "yes", "--appendfsync", "always")) {
      noSync.ask("CONFIG", "SET", "appendfsync", "no");
      fails(noFile, DISK, "appendonly is disabled");
      fails(noSync, Durability.disk(0, Duration.ofMillis(200)), "the server says [0, 0]");
      fails(alone, Durability.disk(1, Duration.ofMillis(200)), "the server says [1, 0]");
    }
  }

  @Test
  void theLevelBelongsToTheFilter() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      open(redis, Durability.replicas(1, Duration.ofMillis(100)));
      assertThatThrownBy(() -> open(redis, Durability.master()))
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("in Redis:  replicas 1")
          .hasMessageContaining("wanted:    master");
      assertThatThrownBy(() -> open(redis, Durability.replicas(2, PATIENCE)))
          .isInstanceOf(IncompatibleFilterException.class)
          .hasMessageContaining("wanted:    replicas 2");
      RedisBloomFilter<Long> joined = redis.bloom("f", Keys.longs(), 10_000).fpp(1e-4).open();
      assertThatThrownBy(() -> joined.putLong(1L))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("the server says 0");
      assertThatThrownBy(
              () -> redis.deletable("d", Keys.longs(), 10).durability(DISK).create().putLong(1L))
          .isInstanceOf(RedisFilterException.class);
    }
  }

  @Test
  void anOldServerSaysThatItCannot() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      Assumptions.assumeFalse(server.knows("waitaof"));
      fails(server, DISK, "unknown command");
    }
  }

  private static void fails(RedisServer server, Durability durability, String message)
      throws Exception {
    try (AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = open(redis, durability);
      assertThatThrownBy(() -> filter.putLong(1L))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining(message)
          .extracting(e -> ((RedisFilterException) e).reason())
          .isEqualTo(Cause.NOT_DURABLE);
    }
  }

  @Test
  void theDiskOfAReplicaToo() throws Exception {
    Path program = withWaitAof();
    String[] disk = {"--appendonly", "yes", "--appendfsync", "always"};
    try (RedisServer master = RedisServer.start(program, disk);
        RedisServer replica = RedisServer.start(program, disk)) {
      replica.ask("REPLICAOF", "127.0.0.1", "" + master.port());
      RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
      try (AutoCloseable client = Clients.JEDIS.server(master.port());
          WoodbirdRedis redis = Clients.patient(client)) {
        RedisBloomFilter<Long> filter = open(redis, Durability.disk(1, PATIENCE));
        filter.put(0L); // A replica tells of its disk once a second.
        filter.put(1L);
        replica.kill();
        RedisCluster.until(() -> master.info("replication", "connected_slaves").equals("0"));
        RedisBloomFilter<Long> hurried = open(redis, Durability.disk(1, Duration.ofMillis(200)));
        assertThatThrownBy(() -> hurried.putLong(20L)).isInstanceOf(RedisFilterException.class);
      }
      master.kill();
      replica.startAgain(disk);
      try (AutoCloseable client = Clients.JEDIS.server(replica.port());
          WoodbirdRedis redis = Clients.patient(client)) {
        List<Long> all = List.of(0L, 1L);
        RedisBloomFilter<Long> filter = open(redis, Durability.disk(1, PATIENCE));
        assertThat(RawBits.missing((RedisBloom<Long>) filter, all)).isZero();
      }
    }
  }

  /**
   * The master dies while a put waits for a replica, which never gets it; the client comes back to
   * that replica, now a master with a replica of its own. What it is told there is not about the
   * put.
   */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void aConfirmationOnAnotherConnectionConfirmsNothing(Clients clients) throws Exception {
    RedisServer master = RedisServer.start();
    RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
    RedisServer last = RedisServer.start("--replicaof", "127.0.0.1 " + replica.port());
    try (FaultProxy way = new FaultProxy(master.port());
        AutoCloseable client = clients.server(way.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
      RedisCluster.until(() -> replica.info("replication", "slave0").contains("state=online"));
      RedisBloomFilter<Long> filter = open(redis, Durability.replicas(1, Duration.ofSeconds(30)));
      filter.put(0L);
      replica.ask("REPLICAOF", "NO", "ONE");
      RedisCluster.until(() -> replica.info("replication", "slave0").contains("state=online"));
      Queue<Long> acknowledged = new ConcurrentLinkedQueue<>();
      Thread put =
          new Thread(
              () -> {
                try {
                  filter.putLong(1L);
                  acknowledged.add(1L);
                } catch (RedisFilterException e) {
                  // It is not known to be done, and says so.
                }
              });
      put.start();
      RedisCluster.until(() -> master.info("clients", "blocked_clients").equals("1"));
      way.bendNewTo(replica.port());
      master.kill();
      put.join();
      assertThat(RawBits.missing((RedisBloom<Long>) filter, List.copyOf(acknowledged))).isZero();
      // Sent again, it is done there.
      RedisCluster.until(() -> filter.ask(-1L) == Answer.NOT_HERE);
      filter.putLong(2L);
      assertThat(filter.ask(2L)).isEqualTo(Answer.MAYBE_HERE);
    } finally {
      master.close();
      replica.close();
      last.close();
    }
  }

  /** In a cluster the log may be on another server than the key, and that may be replaced. */
  @Test
  void aPutOfWhichNearCopiesMayNeverHear_fails() throws Exception {
    Durability level = Durability.replicas(1, Duration.ofSeconds(2));
    boolean[] told = new boolean[1];
    try (RedisServer master = RedisServer.start();
        RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
        AutoCloseable client = Clients.JEDIS.server(master.port());
        AutoCloseable second = Clients.JEDIS.server(master.port());
        WoodbirdRedis redis = Clients.patient(client);
        WoodbirdRedis held =
            new WoodbirdRedis(
                new HeldLink(new RoutedLink(JedisWire.of(second), Clients.PATIENCE)) {
                  @Override
                  void before(Command command) {
                    if (command.name == Command.Name.XADD) {
                      told[0] = true;
                      replica.freeze();
                    }
                  }
                },
                Time.SYSTEM,
                Clients.PATIENCE,
                event -> {})) {
      RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
      RedisBloomFilter<Long> writer = open(held, level);
      RedisBloomFilter<Long> near =
          redis.bloom("f", Keys.longs(), 10_000).fpp(1e-4).near(Duration.ofSeconds(1)).open();
      RedisCluster.until(() -> near.health().nearLagMillis() >= 0);
      Throwable failure = null;
      for (long key = 0; !told[0]; key++) { // A busy machine may not confirm the put itself.
        long put = key;
        failure = catchThrowable(() -> writer.putLong(put));
      }
      replica.thaw();
      assertThat(failure)
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("the server says 0");
    }
  }
}
