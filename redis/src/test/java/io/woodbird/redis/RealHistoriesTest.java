package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Histories as those of the simulation, on a real master with a replica: two clients use a filter
 * while the servers die, stand still, change roles and lose data. No acknowledged key is denied.
 */
class RealHistoriesTest {
  private static final long SEED = Long.getLong("woodbird.seed", 1);
  private static final Duration LEASE = Duration.ofMillis(500);
  private static final long ABSENT = 1_000_000;

  private enum Step {
    PUT,
    PUT_MANY,
    LOAD,
    REBUILD,
    ROLL_BACK,
    REMOVE,
    REOPEN,
    CUT,
    SAVE,
    OLD_SNAPSHOT,
    EVICT,
    RENAME,
    FREEZE,
    KILL,
    PROMOTE,
    FLUSH
  }

  private RedisServer master;
  private RedisServer replica;
  private FaultProxy way;
  private AutoCloseable first;
  private AutoCloseable second;
  private WoodbirdRedis one;
  private WoodbirdRedis other;
  private long denied;

  @BeforeEach
  void start() throws Exception {
    master = RedisServer.start("--repl-diskless-sync-delay", "0");
    replica = RedisServer.start("--repl-diskless-sync-delay", "0");
    follow();
    way = new FaultProxy(master.port());
    first = Clients.JEDIS.server(way.port());
    second = Clients.LETTUCE.server(way.port());
    Duration brief = Clients.brief(master, Duration.ofMillis(250));
    one = WoodbirdRedis.using(first, brief, event -> {});
    other = WoodbirdRedis.using(second, brief, event -> {});
  }

  @AfterEach
  void stop() throws Exception {
    one.close();
    other.close();
    first.close();
    second.close();
    way.close();
    master.close();
    replica.close();
  }

  private void follow() {
    // A replica looks for a master that was lost once a second; for a new one, at once.
    replica.ask("REPLICAOF", "NO", "ONE");
    replica.ask("REPLICAOF", "127.0.0.1", "" + master.port());
    RedisCluster.until(() -> replica.info("replication", "master_link_status").equals("up"));
    RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
  }

  @Test
  void histories_denyNoAcknowledgedKey() throws Exception {
    run(200);
  }

  @Tag("slow")
  @Test
  void manyHistories_denyNoAcknowledgedKey() throws Exception {
    run(5_000);
  }

  private void run(int histories) throws Exception {
    for (long seed = SEED; seed < SEED + histories; seed++) {
      new History(seed).run();
      master.ask("FLUSHALL");
    }
    // Else it would show nothing: a filter that is always in doubt denies nothing.
    assertThat(denied).as("seed %d", SEED).isGreaterThan(histories);
  }

  /** One filter, from its making on. */
  private final class History {
    private final SplittableRandom random;
    private final String name;
    private final List<String> told = new ArrayList<>();
    private final TreeSet<Long> source = new TreeSet<>();
    private final TreeSet<Long> acknowledged = new TreeSet<>();
    private RedisBloomFilter<Long> left;
    private RedisBloomFilter<Long> right;

    /** Takes the keys that are removed again, and others that stay. */
    private final RedisDeletableFilter<Long> counting;

    private final TreeSet<Long> counted = new TreeSet<>();
    private final boolean near;
    private byte[] snapshot = {};
    private long next;

    History(long seed) {
      random = new SplittableRandom(seed);
      name = "h" + seed;
      near = random.nextInt(3) == 0;
      told.add("-Dwoodbird.seed=" + seed);
      left = opened(builder(one)::create);
      right = opened(this::another);
      counting = opened(one.deletable(name + "c", Keys.longs(), 1000)::create);
    }

    private RedisBloomBuilder<Long> builder(WoodbirdRedis redis) {
      return redis.bloom(name, Keys.longs(), 1000).fpp(name.hashCode() % 2 == 0 ? 0.01 : 1e-4);
    }

    /** Opens it in the second client, in some histories with a copy. */
    private RedisBloomFilter<Long> another() {
      return near ? builder(other).near().open() : builder(other).open();
    }

    /** A connection may still be broken since the history before. */
    private <F> F opened(Supplier<F> open) {
      List<F> done = new ArrayList<>();
      RedisCluster.until(
          () -> {
            try {
              return done.add(open.get());
            } catch (RedisFilterException e) {
              return false;
            }
          });
      return done.get(0);
    }

    void run() throws Exception {
      for (int i = 4 + random.nextInt(6); i > 0; i--) {
        Step step = Step.values()[random.nextInt(Step.values().length)];
        told.add("" + step);
        try {
          act(step);
        } catch (RedisFilterException e) {
          told.add("failed: " + e.getMessage());
        } catch (IncompatibleFilterException e) {
          // A record of "counting" was renamed, and has the name of the other filter's.
          told.add("refused: " + e.getMessage());
        }
        check(left, acknowledged);
        check(right, acknowledged);
        check(counting, counted);
      }
      left.close();
      right.close();
      counting.close();
    }

    private void check(RedisFilter<Long> filter, TreeSet<Long> keys) {
      List<Long> all = new ArrayList<>(keys);
      assertThat(filter.candidates(all)).as("%s", told).isEqualTo(all);
      denied += filter.ask(ABSENT + random.nextInt(1000)) == Answer.NOT_HERE ? 1 : 0;
    }

    private void act(Step step) throws Exception {
      RedisBloomFilter<Long> filter = random.nextBoolean() ? left : right;
      switch (step) {
        case PUT -> put(filter, 1);
        case PUT_MANY -> put(filter, 30);
        case LOAD -> {
          List<Long> keys = fresh(50);
          filter.load(keys.iterator());
          acknowledged.addAll(keys);
        }
        case REBUILD -> {
          var unused =
              filter.rebuild(
                  () -> new ArrayList<>(source).iterator(),
                  new RedisRebuild(LEASE, LEASE.multipliedBy(random.nextInt(3)), 0));
        }
        case ROLL_BACK -> {
          boolean unused = filter.rollBack();
        }
        case REMOVE -> {
          List<Long> keys = fresh(3);
          counting.putAll(keys);
          counted.addAll(keys.subList(1, 3));
          boolean unused = counting.remove(keys.get(0));
        }
        case REOPEN -> {
          RedisBloomFilter<Long> again = another();
          right.close();
          right = again;
        }
        case CUT -> {
          way.cutAll();
          put(filter, 2);
        }
        case SAVE -> {
          master.save();
          if (snapshot.length == 0) {
            snapshot = Files.readAllBytes(master.folder().resolve("dump.rdb"));
          }
        }
        case OLD_SNAPSHOT -> {
          // The first one of this history, however many came after it.
          master.kill();
          Path file = master.folder().resolve("dump.rdb");
          if (snapshot.length == 0) {
            Files.deleteIfExists(file);
          } else {
            Files.write(file, snapshot);
          }
          master.startAgain("--repl-diskless-sync-delay", "0");
          follow();
        }
        case EVICT -> master.ask("DEL", key());
        case RENAME -> master.ask("RENAME", key(), random.nextBoolean() ? "elsewhere" : key());
        case FREEZE -> {
          master.freeze();
          try {
            put(filter, 2);
          } finally {
            master.thaw();
          }
        }
        case KILL -> {
          master.kill();
          master.startAgain("--repl-diskless-sync-delay", "0");
          follow();
        }
        case PROMOTE -> {
          replica.ask("REPLICAOF", "NO", "ONE");
          RedisServer old = master;
          master = replica;
          replica = old;
          follow();
          way.bendTo(master.port());
        }
        case FLUSH -> master.ask("FLUSHALL");
      }
    }

    /** Some key of the server, or a name that is none. */
    private String key() {
      List<?> keys = master.ask("KEYS", "wbird:*") instanceof List<?> all ? all : List.of();
      if (keys.isEmpty()) {
        master.ask("SET", "wbird:none", "x");
        return "wbird:none";
      }
      return "" + keys.get(random.nextInt(keys.size()));
    }

    private List<Long> fresh(int count) {
      List<Long> keys = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        keys.add(next++);
      }
      source.addAll(keys); // A key is in the source before it is put.
      return keys;
    }

    private void put(RedisBloomFilter<Long> filter, int count) {
      List<Long> keys = fresh(count);
      filter.putAll(keys);
      acknowledged.addAll(keys);
    }
  }
}
