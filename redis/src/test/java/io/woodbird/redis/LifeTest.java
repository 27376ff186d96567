package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.generations.ShardLoad;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.redis.proof.Life;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a life of the data is on a real server, and that nobody denies across two of them. */
class LifeTest {
  private static final List<Long> KEYS = LongStream.range(0, 300).boxed().toList();

  private static long life(RedisServer server) {
    return Life.of(Command.bytes("" + server.ask("INFO", "replication"))).id();
  }

  private static String id(RedisServer server) {
    return server.info("replication", "master_replid");
  }

  private static void until(BooleanSupplier done) throws InterruptedException {
    long end = System.nanoTime() + Clients.PATIENCE.toNanos();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime() - end).isNegative();
      Thread.sleep(20);
    }
  }

  private static void follow(RedisServer replica, RedisServer master) throws InterruptedException {
    replica.ask("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
    until(() -> "up".equals(replica.info("replication", "master_link_status")));
    until(() -> Life.of(Command.bytes("" + master.ask("INFO", "replication"))).replicas() > 0);
  }

  /** As Redis 7 and 8 and as Valkey 9 write them. */
  @ParameterizedTest
  @CsvSource({
    "'online,offset=14,lag=1', 1",
    "'online,offset=14,lag=1,io-thread=0', 1",
    "'online,offset=14,lag=1,type=replica', 1",
    "'online,offset=14,lag=1,type=rdb-channel', 0",
    "'send_bulk,offset=14,lag=0', 0"
  })
  void replicasAreCounted_ifTheyAreOnline(String state, int replicas) {
    String info =
        "# Replication\r\nrole:master\r\nconnected_slaves:1\r\n"
            + "slave0:ip=127.0.0.1,port=7001,state="
            + state
            + "\r\nmaster_replid:2fc8c42f2b02157a1d56e11d879c83587f1c9d6a\r\n";
    assertThat(Life.of(Command.bytes(info)).replicas()).isEqualTo(replicas);
  }

  private static WoodbirdRedis using(AutoCloseable client) {
    return Clients.patient(client);
  }

  @Test
  void everyWayToOtherDataGivesAServerAnotherId() throws Exception {
    try (RedisServer first = RedisServer.start();
        RedisServer second = RedisServer.start("--repl-diskless-sync-delay", "0")) {
      List<String> seen = new ArrayList<>(List.of(id(first), id(second)));
      follow(second, first);
      assertThat(id(first)).as("the first replica comes: a doubt for nothing").isNotIn(seen);
      seen.add(id(first));
      assertThat(id(second)).as("a replica shows its master's").isEqualTo(id(first));
      assertThat(life(second)).as("but is no master").isZero();
      second.ask("REPLICAOF", "NO", "ONE");
      assertThat(id(second)).as("promoted").isNotIn(seen);
      seen.add(id(second));
      follow(first, second);
      first.ask("REPLICAOF", "NO", "ONE");
      assertThat(id(first)).as("demoted and promoted again").isNotIn(seen);
      seen.add(id(first));
      first.kill();
      first.startAgain();
      assertThat(id(first)).as("started again").isNotIn(seen);
      assertThat(life(first)).isNotZero();
    }
  }

  /** R4: a master that was demoted and promoted again is another life, with the same process. */
  @Test
  void aMasterThatReturnsDeniesNothingThatWasPutMeanwhile() throws Exception {
    try (RedisServer first = RedisServer.start("--repl-diskless-sync-delay", "0");
        RedisServer second = RedisServer.start("--repl-diskless-sync-delay", "0");
        AutoCloseable one = Clients.JEDIS.server(first.port());
        AutoCloseable two = Clients.JEDIS.server(second.port());
        WoodbirdRedis left = using(one);
        WoodbirdRedis right = using(two)) {
      follow(second, first);
      RedisBloomFilter<Long> filter = left.bloom("f", Keys.longs(), 1000).create();
      filter.putAll(List.of(-1L));
      until(() -> second.ask("EXISTS", "wbird:meta:f").equals(1L));
      second.ask("REPLICAOF", "NO", "ONE"); // The old master is cut off, and still answers.
      filter.putAll(KEYS);
      RedisBloomFilter<Long> other = right.bloom("f", Keys.longs(), 1000).open();
      assertThat(other.candidates(KEYS)).as("nobody vouches for the promoted one").hasSize(300);
      follow(first, second); // The puts above are lost.
      first.ask("REPLICAOF", "NO", "ONE");
      for (int round = 0; round < 5; round++) {
        assertThat(filter.candidates(KEYS)).hasSize(300);
        Thread.sleep(120);
      }
      assertThat(other.candidates(KEYS)).hasSize(300);
    }
  }

  /** R5: a replica answers nothing, and a lonely master does not if replicas were asked for. */
  @Test
  void aMasterWithoutItsReplicasDeniesNothing() throws Exception {
    try (RedisServer first = RedisServer.start("--repl-diskless-sync-delay", "0");
        RedisServer second = RedisServer.start("--repl-diskless-sync-delay", "0");
        AutoCloseable one = Clients.JEDIS.server(first.port());
        WoodbirdRedis redis = using(one)) {
      follow(second, first);
      RedisBloomFilter<Long> filter =
          redis
              .bloom("f", Keys.longs(), 1000)
              .seed(1)
              .durability(Durability.replicas(1, Duration.ofSeconds(10)))
              .create();
      filter.putAll(KEYS);
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
      second.ask("REPLICAOF", "NO", "ONE");
      until(() -> filter.ask(9_999L) == Answer.UNKNOWN);
      assertThat(filter.stats().doubts()).anyMatch(line -> line.contains("fewer than the 1"));
      follow(first, second);
      assertThat(filter.ask(9_999L)).as("demoted").isEqualTo(Answer.UNKNOWN);
    }
  }

  /** R1, R10: data from an older dump is not vouched for, by its builder or by anybody. */
  @Test
  void anOlderDumpIsInDoubtUntilSomebodyTrustsIt() throws Exception {
    try (RedisServer server = RedisServer.start("--save", "3600 1");
        AutoCloseable client = Clients.JEDIS.server(server.port());
        AutoCloseable stranger = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = using(client);
        WoodbirdRedis later = using(stranger)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).seed(1).create();
      RedisRebuild brief = new RedisRebuild(Duration.ofSeconds(2), Duration.ofMinutes(1), 1);
      assertThat(
              filter.rebuild(
                  () -> {
                    server.ask("SAVE"); // The new generation is there, and empty.
                    return KEYS.iterator();
                  },
                  brief))
          .hasValue(2);
      server.kill();
      server.startAgain("--save", "3600 1");
      assertThat(filter.candidates(KEYS)).hasSize(300);
      RedisBloomFilter<Long> other = later.bloom("f", Keys.longs(), 1000).open();
      assertThat(other.candidates(KEYS)).hasSize(300);
      Thread.sleep(150);
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.UNKNOWN);
      // The lease of the build came back too, and must end first.
      until(() -> filter.rebuild(KEYS::iterator, brief).isPresent());
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.ask(9_999L)).as("built anew").isEqualTo(Answer.NOT_HERE);
      assertThat(other.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** R18: what the disk has confirmed comes back by itself; what the master alone had does not. */
  @Test
  void whatWasConfirmedIsWholeAfterARestart() throws Exception {
    String[] always = {"--appendonly", "yes", "--appendfsync", "always"};
    try (RedisServer server = RedisServer.start(always);
        AutoCloseable client = Clients.JEDIS.server(server.port());
        AutoCloseable stranger = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = using(client);
        WoodbirdRedis later = using(stranger)) {
      Assumptions.assumeTrue(server.knows("waitaof"));
      RedisBloomFilter<Long> confirmed =
          redis
              .bloom("f", Keys.longs(), 1000)
              .seed(1)
              .durability(Durability.disk(0, Duration.ofSeconds(10)))
              .create();
      RedisBloomFilter<Long> bare = redis.bloom("g", Keys.longs(), 1000).seed(1).create();
      confirmed.putAll(KEYS);
      bare.putAll(KEYS);
      server.kill();
      server.startAgain(always);
      RedisBloomFilter<Long> other = later.bloom("f", Keys.longs(), 1000).open();
      until(() -> other.ask(9_999L) == Answer.NOT_HERE);
      assertThat(other.candidates(KEYS)).hasSize(300);
      for (int i = 0; i < 5; i++) {
        assertThat(bare.ask(9_999L)).isEqualTo(Answer.UNKNOWN);
        Thread.sleep(30);
      }
      assertThat(later.bloom("g", Keys.longs(), 1000).open().ask(9_999L)).isEqualTo(Answer.UNKNOWN);
      bare.trust();
      assertThat(bare.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** A shard that a rebuild made in the place of a lost one is empty: nobody vouches for it. */
  @Test
  void aShardThatStandsInForALostOneIsNotVouchedFor() throws Exception {
    try (RedisServer first = RedisServer.start("--repl-diskless-sync-delay", "0");
        RedisServer second = RedisServer.start("--repl-diskless-sync-delay", "0");
        AutoCloseable client = Clients.JEDIS.server(first.port());
        WoodbirdRedis redis = using(client)) {
      follow(second, first);
      RedisBloomFilter<Long> filter =
          redis
              .bloom("f", Keys.longs(), 1000)
              .seed(1)
              .durability(Durability.replicas(1, Duration.ofSeconds(10)))
              .create();
      filter.putAll(KEYS);
      for (Object key : (List<?>) first.ask("KEYS", "wbird:{*}:f:1:*")) {
        first.ask("DEL", key instanceof byte[] b ? Command.text(b) : "" + key);
      }
      assertThatThrownBy(
              () ->
                  filter.rebuild(
                      () -> {
                        throw new IllegalStateException("no source");
                      },
                      RedisRebuild.usual()))
          .hasMessageContaining("no source");
      for (int round = 0; round < 3; round++) {
        assertThat(filter.candidates(KEYS)).hasSize(300);
        assertThat(filter.ask(9_999L)).isEqualTo(Answer.UNKNOWN);
        Thread.sleep(120);
      }
      filter.putAll(KEYS);
      filter.trust();
      assertThat(filter.candidates(KEYS)).hasSize(300);
      until(() -> filter.ask(9_999L) == Answer.NOT_HERE);
    }
  }

  /** R7, R10: a lost record is not made anew, by open() never and by create() not over shards. */
  @Test
  void aLostRecordIsNotMadeAnewOverItsShards() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = using(client)) {
      RedisBloomBuilder<Long> builder = redis.bloom("f", Keys.longs(), 1000);
      assertThatThrownBy(builder::open)
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("create()");
      RedisBloomFilter<Long> filter = builder.create();
      filter.putAll(KEYS);
      filter.rebuild(KEYS::iterator, new RedisRebuild(Duration.ofSeconds(30), Duration.ZERO, 1));
      server.ask("DEL", "wbird:meta:f");
      assertThatThrownBy(builder::open).isInstanceOf(RedisFilterException.class);
      assertThatThrownBy(builder::create)
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("its record is lost");
      server.ask("FLUSHALL");
      assertThatThrownBy(builder::open).isInstanceOf(RedisFilterException.class);
      assertThat(filter.candidates(KEYS)).hasSize(300);
    }
  }

  /** R2: bits that were evicted before they were added are not acknowledged. */
  @Test
  void aLoadWithoutItsBitsFails() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port())) {
      Link direct = new RoutedLink(JedisWire.of(client), Clients.PATIENCE);
      Link evicting =
          new HeldLink(direct) {
            @Override
            void before(Command command) {
              boolean load = command.name == Command.Name.EVAL && command.arguments.length > 3;
              if (load && Command.text(command.arguments[3]).contains(":load:")) {
                server.ask("DEL", Command.text(command.arguments[3]));
              }
            }
          };
      WoodbirdRedis redis = new WoodbirdRedis(evicting, Time.SYSTEM, Clients.PATIENCE, e -> {});
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
      assertThatThrownBy(() -> filter.load(KEYS.iterator()))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("LOST");
    }
  }

  /** R8: a swap that comes late, while its build is given up, finds nothing to swap in. */
  @Test
  void aSwapThatComesLateDoesNothing() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port())) {
      Link direct = new RoutedLink(JedisWire.of(client), Clients.PATIENCE);
      List<Command> held = new ArrayList<>();
      Link late =
          new HeldLink(direct) {
            @Override
            boolean swallow(Command command) {
              boolean swap =
                  command.name == Command.Name.EVAL
                      && Command.text(command.arguments[0]).contains("graceUntil', string.format");
              if (swap) {
                held.add(command);
              }
              return swap;
            }

            @Override
            void before(Command command) {
              if (command.name == Command.Name.UNLINK) {
                held.forEach(direct::run); // Between the end of the build and its deletion.
              }
            }
          };
      WoodbirdRedis redis = new WoodbirdRedis(late, Time.SYSTEM, Clients.PATIENCE, e -> {});
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).create();
      filter.putAll(KEYS);
      assertThatThrownBy(() -> filter.rebuild(KEYS::iterator, RedisRebuild.usual()))
          .isInstanceOf(RedisFilterException.class);
      assertThat(held).isNotEmpty();
      filter.putAll(List.of(1_234L));
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.mightContainLong(1_234L)).isTrue();
      assertThat(filter.health().well()).isTrue();
    }
  }

  /** A machine that helps with a build has followed a failover, and the builder has not. */
  @Test
  void aLoadOnAPromotedReplica_doesNotCount_whileTheBuilderTalksToTheOldMaster() throws Exception {
    try (RedisServer first = RedisServer.start("--repl-diskless-sync-delay", "0");
        RedisServer second = RedisServer.start("--repl-diskless-sync-delay", "0");
        AutoCloseable old = Clients.JEDIS.server(first.port());
        AutoCloseable promoted = Clients.JEDIS.server(second.port());
        WoodbirdRedis builder = using(old);
        WoodbirdRedis helper = using(promoted)) {
      follow(second, first);
      RedisBloomFilter<Long> filter = builder.bloom("f", Keys.longs(), 1000).create();
      filter.putAll(KEYS);
      RemoteBuild.Work work =
          (name, generation) -> {
            String last = Command.text(generation.key(name, generation.shards() - 1));
            until(() -> second.ask("EXISTS", last).equals(1L));
            second.ask("REPLICAOF", "NO", "ONE");
            ShardLoad load = new ShardLoad(name, generation, 0, generation.shards());
            load.add(KEYS.stream().mapToLong(filter::hashOf).toArray(), KEYS.size());
            load.send(helper.access());
            return KEYS.size();
          };
      assertThatThrownBy(() -> RemoteBuild.run(filter, work, RedisRebuild.usual()))
          .hasMessageContaining("another life");
      assertThat(filter.candidates(KEYS)).isEqualTo(KEYS);
    }
  }

  /** A bit that is clear proves a new key only where all puts are known to be. */
  @Test
  void aKeyWhosePutMayBeLost_isNotCalledNew() throws Exception {
    try (RedisServer server = RedisServer.start("--save", "3600 1");
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = using(client)) {
      List<RedisFilter<Long>> filters =
          List.of(
              redis.bloom("bloom", Keys.longs(), 1000).create(),
              redis.bloom("pair", Keys.longs(), 1000).fpp(1e-4).create(),
              redis.deletable("deletable", Keys.longs(), 1000).create(),
              redis.window("window", Keys.longs(), 1000, Duration.ofHours(1)).create(),
              redis.growing("growing", Keys.longs(), 100).create());
      server.save();
      for (RedisFilter<Long> filter : filters) {
        assertThat(filter.put(1L)).isTrue();
      }
      server.kill();
      server.startAgain("--save", "3600 1");
      for (RedisFilter<Long> filter : filters) {
        assertThat(filter.put(1L)).as("it was put: %s", filter).isFalse();
        assertThat(filter.put(2L)).as("nobody knows: %s", filter).isFalse();
        filter.trust();
        assertThat(filter.put(1L)).isFalse();
        assertThat(filter.put(3L)).as("trusted: %s", filter).isTrue();
      }
    }
  }

  /** As a slot of a cluster does. The server that it leaves lives on, and shows its old id. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aShardThatLeavesAServerAndComesBack_isNotBelieved(boolean load) throws Exception {
    try (RedisServer first = RedisServer.start();
        RedisServer second = RedisServer.start("--save", "3600 1");
        FaultProxy way = new FaultProxy(first.port());
        AutoCloseable client = Clients.JEDIS.server(way.port());
        WoodbirdRedis redis = using(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 10_000).seed(5).create();
      filter.putAll(KEYS);
      move(first, second);
      way.bendTo(second.port());
      List<Long> more = LongStream.range(1000, 2000).boxed().toList(); // For each shard some.
      if (load) {
        filter.load(more.iterator());
      } else {
        filter.putAll(more);
      }
      second.save();
      filter.put(9_999L);
      second.kill();
      second.startAgain("--save", "3600 1"); // The last put is lost.
      move(second, first);
      way.bendTo(first.port());
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.UNKNOWN);
      filter.trust();
      assertThat(filter.ask(8_888L)).isEqualTo(Answer.NOT_HERE);
      assertThat(filter.candidates(more)).isEqualTo(more);
    }
  }

  private static void move(RedisServer from, RedisServer to) {
    List<String> words =
        new ArrayList<>(
            List.of("MIGRATE", "127.0.0.1", "" + to.port(), "", "0", "60000", "REPLACE", "KEYS"));
    ((List<?>) from.ask("KEYS", "*")).forEach(key -> words.add("" + key));
    assertThat(from.ask(words.toArray(String[]::new))).isEqualTo("OK");
  }
}
