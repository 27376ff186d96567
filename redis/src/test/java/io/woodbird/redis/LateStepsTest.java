package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client sleeps between two commands of a step, and meanwhile others go on. */
final class LateStepsTest {
  private static final List<Long> KEYS = LongStream.range(0, 200).boxed().toList();
  private static final Durability ONE_REPLICA = Durability.replicas(1, Duration.ofSeconds(30));
  private static final RedisRebuild BRIEF = new RedisRebuild(Clients.PATIENCE, Duration.ZERO, 1);
  private static final RedisRebuild SHORT =
      new RedisRebuild(Clients.PATIENCE, Duration.ofMillis(1), 1);
  private static final RedisRebuild GRACE =
      new RedisRebuild(Clients.PATIENCE, Duration.ofHours(1), 1);

  private RedisServer server;
  private AutoCloseable client;
  private AutoCloseable second;
  private Link direct;
  private WoodbirdRedis redis;
  private WoodbirdRedis late;
  private Sleeping sleeping;

  @BeforeEach
  void start() {
    server = RedisServer.start("--save", "3600 1");
    client = Clients.JEDIS.server(server.port());
    second = Clients.JEDIS.server(server.port());
    direct = new RoutedLink(JedisWire.of(second), Clients.PATIENCE);
    redis = Clients.patient(client);
    sleeping = new Sleeping(direct);
    late = new WoodbirdRedis(sleeping, Time.SYSTEM, Clients.PATIENCE, event -> {});
  }

  @AfterEach
  void stop() throws Exception {
    redis.close();
    late.close();
    client.close();
    second.close();
    server.close();
  }

  /** Lets others go on once, before the first command of a kind. */
  private static final class Sleeping extends HeldLink {
    private Predicate<Command> where = command -> false;
    private Runnable meanwhile = () -> {};

    Sleeping(Link link) {
      super(link);
    }

    void sleep(Predicate<Command> before, Runnable others) {
      where = before;
      meanwhile = others;
    }

    @Override
    void before(Command command) {
      if (where.test(command)) {
        where = any -> false;
        meanwhile.run();
      }
    }
  }

  private static Predicate<Command> script(String part) {
    return command ->
        command.name == Command.Name.EVAL && Command.text(command.arguments[0]).contains(part);
  }

  /** The second command of the next step. */
  private static Predicate<Command> second() {
    int[] count = new int[1];
    return command -> ++count[0] == 2;
  }

  private static RedisBloomBuilder<Long> builder(WoodbirdRedis redis) {
    return redis.bloom("f", Keys.longs(), 1000).seed(1);
  }

  private List<String> shards(long generation) {
    return ((List<?>) server.ask("KEYS", "wbird:{*}:f:" + generation + ":*"))
        .stream().map(key -> key instanceof byte[] b ? Command.text(b) : "" + key).toList();
  }

  /** The put has met generation 1, which names 2; when it goes on, 3 or 4 is asked. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aPutThatSlept_reachesTheGenerationThatIsAsked(int builds) {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> sleeper = builder(late).open();
    assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    sleeping.sleep(
        second(),
        () -> {
          for (int i = 0; i < builds; i++) {
            assertThat(filter.rebuild(KEYS::iterator, GRACE)).isPresent();
          }
        });
    sleeper.put(5_000L);
    assertThat(filter.health().generation()).isEqualTo(2 + builds);
    assertThat(filter.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(sleeper.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(5_001L)).isEqualTo(Answer.NOT_HERE);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aLoadThatSlept_reachesTheGenerationThatIsAsked(int builds) {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> sleeper = builder(late).open();
    assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    sleeping.sleep(
        command -> command.name == Command.Name.HGETALL,
        () -> {
          for (int i = 0; i < builds; i++) {
            assertThat(filter.rebuild(KEYS::iterator, GRACE)).isPresent();
          }
        });
    sleeper.load(List.of(5_000L).iterator());
    assertThat(filter.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(5_001L)).isEqualTo(Answer.NOT_HERE);
  }

  /** The record came back older, and gave the number of a build that died to another one. */
  @Test
  void aPutDuringASecondBuildOfOneNumber_isInIt() throws Exception {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> writer = builder(late).open();
    filter.putAll(KEYS);
    server.ask("SAVE");
    assertThatThrownBy(
            () ->
                filter.rebuild(
                    () -> {
                      writer.put(5_000L); // It has met generation 2.
                      server.kill();
                      server.startAgain("--save", "3600 1");
                      throw new IllegalStateException("the builder died");
                    },
                    GRACE))
        .hasMessageContaining("died");
    assertThat(
            filter.rebuild(
                () -> {
                  Iterator<Long> all = KEYS.iterator();
                  writer.put(6_000L);
                  return all;
                },
                GRACE))
        .hasValue(2);
    assertThat(filter.ask(6_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(writer.ask(6_000L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(6_001L)).isEqualTo(Answer.NOT_HERE);
  }

  /** As above, but the first build was asked already: its number is not enough to know it by. */
  @Test
  void aClientOfALostGeneration_findsTheOneThatHasItsNumber() throws Exception {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> other = builder(late).open();
    server.ask("SAVE");
    assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    assertThat(other.ask(5_000L)).isEqualTo(Answer.NOT_HERE);
    assertThat(other.health().generation()).isEqualTo(2);
    server.kill();
    server.startAgain("--save", "3600 1");
    RedisBloomFilter<Long> third = builder(redis).open();
    assertThat(third.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    assertThat(other.candidates(KEYS)).isEqualTo(KEYS);
    RedisCluster.until(() -> other.ask(5_000L) == Answer.NOT_HERE);
    other.put(6_000L);
    assertThat(third.ask(6_000L)).isEqualTo(Answer.MAYBE_HERE);
  }

  /** The name was given to another filter, whose hashes have another seed. */
  @Test
  void aClientOfALostFilter_deniesNothingByAnotherOfThatName() {
    RedisBloomFilter<Long> lost = builder(late).create();
    lost.putAll(KEYS);
    server.ask("FLUSHALL");
    RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).seed(2).create();
    assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    assertThat(lost.candidates(KEYS)).isEqualTo(KEYS);
    assertThatThrownBy(() -> lost.put(5L)).isInstanceOf(RedisFilterException.class);
    assertThat(lost.ask(-1L)).isEqualTo(Answer.UNKNOWN);
  }

  /** The old generation was ended while a client was about to go back to it. */
  @Test
  void whoGoesBackTooLate_givesNobodyAnOldGeneration() throws Exception {
    RedisBloomFilter<Long> idle = builder(redis).create();
    RedisBloomFilter<Long> back = builder(late).open();
    Link keeping =
        new HeldLink(direct) {
          @Override
          boolean swallow(Command command) {
            return script("Removes a shard").test(command); // Or its client stops just before.
          }

          @Override
          public void close() {
            // Others use it too.
          }
        };
    try (WoodbirdRedis third =
        new WoodbirdRedis(keeping, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> filter = builder(third).open();
      assertThat(filter.rebuild(KEYS::iterator, SHORT)).hasValue(2);
      long[] key = {5_000};
      sleeping.sleep(
          script("Says in a shard which other generation"),
          () -> {
            while (server.ask("HGET", "wbird:meta:f", "previous") != null) {
              filter.put(key[0]++);
            }
            filter.put(9_000L);
          });
      assertThat(back.rollBack()).isFalse();
      assertThat(key[0]).as("it was ended").isGreaterThan(5_000);
      assertThat(shards(1)).isNotEmpty();
      assertThat(idle.ask(9_000L)).isNotEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void aBuildWhosePreviousGenerationIsEndedByAnother_goesOn() {
    RedisBloomFilter<Long> filter = builder(redis).create();
    assertThat(filter.rebuild(KEYS::iterator, SHORT)).hasValue(2);
    RedisBloomFilter<Long> sleeper = builder(late).open();
    sleeping.sleep(
        script("Begins the end of the previous generation"),
        () -> {
          filter.put(5_000L);
          assertThat(shards(1)).isEmpty();
        });
    assertThat(sleeper.rebuild(KEYS::iterator, GRACE)).hasValue(3);
    assertThat(filter.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(5_001L)).isEqualTo(Answer.NOT_HERE);
  }

  /** Else nobody would get an answer before the next build. */
  @Test
  void whoMarksTooLateAGenerationThatIsAskedAgain_takesTheMarkAway() {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> sleeper = builder(late).open();
    Predicate<Command> mark = script("which other generation takes its puts");
    String retired = "" + ShardHeader.link(2, true);
    sleeping.sleep(
        command -> mark.test(command) && Command.text(command.arguments[4]).equals(retired),
        () -> assertThat(filter.rollBack()).isTrue());
    sleeper.rebuild(KEYS::iterator, GRACE);
    assertThat(filter.health().generation()).isEqualTo(1);
    assertThat(filter.ask(5_000L)).isEqualTo(Answer.NOT_HERE);
    assertThat(sleeper.ask(5_000L)).isEqualTo(Answer.NOT_HERE);
  }

  /** Generation 1 could not be marked, and is asked; the record is lost when a build begins. */
  @Test
  void aBuildWhoseRecordIsLost_takesNoLinkAway() {
    String retired = Long.toString(ShardHeader.link(2, true));
    Link unmarked =
        new HeldLink(direct) {
          @Override
          boolean swallow(Command command) {
            return script("Says in a shard").test(command)
                && Command.text(command.arguments[4]).equals(retired);
          }

          @Override
          public void close() {
            // Others use it too.
          }
        };
    try (WoodbirdRedis way =
        new WoodbirdRedis(unmarked, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> filter = builder(way).create();
      RedisBloomFilter<Long> idle = builder(redis).open();
      assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
      assertThat(links(1)).containsOnly(ShardHeader.link(2, false));
      RedisBloomFilter<Long> building = builder(late).open();
      boolean[] leased = new boolean[1];
      sleeping.sleep(
          command -> {
            leased[0] |= script("Takes the lease for a build").test(command);
            return leased[0] && command.name == Command.Name.HGETALL;
          },
          () -> server.ask("DEL", "wbird:meta:f"));
      try {
        assertThat(building.rebuild(KEYS::iterator, GRACE)).isEmpty();
      } catch (RedisFilterException e) {
        assertThat(e).hasMessageContaining("can't be ended now");
      }
      filter.put(5_000L);
      assertThat(idle.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(idle.ask(5_001L)).as("it asks generation 1").isEqualTo(Answer.NOT_HERE);
    }
  }

  /** A shard comes back from before it was linked, when its build has looked at it. */
  @Test
  void aLoadIntoAShardOfAnotherLife_isInEveryGeneration() {
    RedisBloomFilter<Long> loader = builder(redis).create();
    RedisBloomFilter<Long> filter = builder(late).open();
    List<Long> loaded = LongStream.range(5_000, 5_100).boxed().toList();
    sleeping.sleep(
        script("Makes another generation the current one"),
        () -> {
          for (String shard : shards(1)) {
            // As on a replica that took over: without the link, and from a life that is over.
            server.ask("BITFIELD", shard, "SET", "i64", "256", "0", "SET", "i64", "192", "77");
          }
          loader.load(loaded.iterator());
        });
    assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
    assertThat(filter.candidates(loaded)).isEqualTo(loaded);
    assertThat(filter.ask(6_000L)).isEqualTo(Answer.NOT_HERE);
  }

  /** Somebody may have put into it already, and that is lost: an empty one would deny it. */
  @Test
  void aFilterThatIsFlushedWhileItIsMade_isNotMadeAgain() {
    Predicate<Command> looks = script("Shows the record of a filter");
    int[] count = new int[1];
    sleeping.sleep(
        command -> looks.test(command) && ++count[0] == 2,
        () -> {
          builder(redis).open().put(5_000L);
          server.ask("FLUSHALL");
        });
    assertThatThrownBy(() -> builder(late).create())
        .isInstanceOf(RedisFilterException.class)
        .hasMessageContaining("is missing");
    assertThat(count[0]).isEqualTo(2);
  }

  /** The generation that this client still asks lacks what the source had. */
  @Test
  void aPutIntoAGenerationThatIsOver_saysNothingOfNewKeys() {
    try (WoodbirdRedis way =
        new WoodbirdRedis(new Held() {}, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> idle = builder(way).create();
      RedisBloomFilter<Long> other = builder(way).open();
      assertThat(other.rebuild(List.of(7L, 8L)::iterator, GRACE)).hasValue(2);
      assertThat(idle.putLong(7)).as("7 is in what was built").isFalse();
      assertThat(idle.putLong(7)).isFalse();
      assertThat(idle.putLong(9)).as("it has met the next generation").isTrue();
    }
  }

  /** The reply to a swap is lost: it is repeated by the client, or it is not. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSwapWhoseReplyIsLost_isKnownToBeDone(boolean repeated) {
    Predicate<Command> swap = script("Makes another generation the current one");
    Link losing =
        new HeldLink(direct) {
          @Override
          void before(Command command) {
            if (swap.test(command)) {
              direct.run(command);
            }
          }

          @Override
          boolean swallow(Command command) {
            return !repeated && swap.test(command);
          }

          @Override
          public void close() {
            // Others use it too.
          }
        };
    try (WoodbirdRedis way =
        new WoodbirdRedis(losing, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> filter = builder(way).create();
      assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
      assertThat(links(1)).as("retired").containsOnly(ShardHeader.link(2, true));
      if (repeated) {
        assertThat(filter.rollBack()).isTrue();
        assertThat(filter.health().generation()).isEqualTo(1);
        assertThat(links(2)).as("retired").containsOnly(ShardHeader.link(1, true));
      }
    }
  }

  /** Others use the link, too. */
  private abstract class Held extends HeldLink {
    Held() {
      super(direct);
    }

    @Override
    public void close() {
      // It stays open.
    }
  }

  private RedisServer replica() throws InterruptedException {
    RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + server.port());
    RedisCluster.until(() -> replica.info("replication", "master_link_status").equals("up"));
    RedisCluster.until(() -> server.info("replication", "slave0").contains("state=online"));
    return replica;
  }

  /** A server is demoted, loses a write, and is promoted before replicas confirm what it has. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aWriteThatIsConfirmedInAnotherLife_isSentAgain(boolean load) throws Exception {
    Predicate<Command> write =
        load ? script("Adds the bits") : command -> command.name == Command.Name.BITFIELD;
    boolean[] lost = new boolean[1];
    Link straddling =
        new Held() {
          @Override
          public Replies run(List<Command> commands, List<Command> after) {
            if (lost[0] || commands.stream().noneMatch(write)) {
              return super.run(commands, after);
            }
            lost[0] = true;
            List<String> shards = shards(1);
            shards.forEach(shard -> server.ask("COPY", shard, shard + "before"));
            List<Object> all = direct.run(commands);
            shards.forEach(shard -> server.ask("RENAME", shard + "before", shard));
            server.ask("REPLICAOF", "127.0.0.1", "1");
            server.ask("REPLICAOF", "NO", "ONE");
            Command any = Command.getRange(commands.get(0).key(), 0, 0);
            return new Replies(
                all,
                Collections.nCopies(all.size(), direct.run(List.of(any), after).after().get(0)));
          }
        };
    try (RedisServer replica = replica();
        WoodbirdRedis way =
            new WoodbirdRedis(straddling, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> reader = builder(redis).durability(ONE_REPLICA).create();
      RedisBloomFilter<Long> writer = builder(way).durability(ONE_REPLICA).open();
      if (load) {
        writer.load(List.of(5_000L).iterator());
      } else {
        writer.put(5_000L);
      }
      assertThat(lost[0]).isTrue();
      assertThat(replica.info("replication", "role")).isEqualTo("slave");
      RedisCluster.until(() -> reader.ask(6_000L) == Answer.NOT_HERE);
      assertThat(reader.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  /** Else a failover may bring back a record that names the generation which was deleted. */
  @Test
  void anEndThatReplicasDoNotConfirm_deletesNothing() throws Exception {
    Predicate<Command> end = script("Begins the end of the previous generation");
    Link unconfirmed =
        new Held() {
          @Override
          public Replies run(List<Command> commands, List<Command> after) {
            Replies replies = super.run(commands, after);
            if (!after.isEmpty() && end.test(commands.get(0))) {
              replies.after().get(0).set(0, 0L);
            }
            return replies;
          }
        };
    try (RedisServer replica = replica();
        WoodbirdRedis way =
            new WoodbirdRedis(unconfirmed, Time.SYSTEM, Clients.PATIENCE, event -> {})) {
      RedisBloomFilter<Long> filter = builder(way).durability(ONE_REPLICA).create();
      assertThat(filter.rebuild(KEYS::iterator, GRACE)).hasValue(2);
      server.ask("HSET", "wbird:meta:f", "graceUntil", "1");
      List<String> both = shards(1);
      filter.put(5_000L);
      assertThat(shards(1)).containsExactlyInAnyOrderElementsOf(both).isNotEmpty();
      assertThat(replica.info("replication", "role")).isEqualTo("slave");
    }
  }

  /** It took so long that another client has made the filter. */
  @Test
  void aMakerThatSlept_joinsTheFilterThatAnotherHasMade() {
    AtomicReference<RedisBloomFilter<Long>> made = new AtomicReference<>();
    sleeping.sleep(
        script("Makes a shard of zeros"),
        () -> {
          server.ask("HSET", "wbird:meta:f", "until", "1");
          made.set(builder(redis).create());
          made.get().put(5_000L);
        });
    RedisBloomFilter<Long> sleeper = builder(late).create();
    assertThat(made.get().candidates(KEYS)).as("each shard is as it was").hasSizeLessThan(30);
    assertThat(sleeper.ask(5_000L)).isEqualTo(Answer.MAYBE_HERE);
    sleeper.putAll(KEYS);
    assertThat(made.get().candidates(KEYS)).isEqualTo(KEYS);
  }

  /** Puts skip what was ended, and a client that was idle would deny them by it. */
  @Test
  void whoTrustsTooLate_makesNothingWholeThatWasEnded() {
    RedisBloomFilter<Long> filter = builder(redis).create();
    RedisBloomFilter<Long> trusting = builder(late).open();
    String old = shards(1).get(0);
    sleeping.sleep(
        script("Says that every acknowledged put is in a shard"),
        () -> {
          server.ask("COPY", old, "ended");
          assertThat(filter.rebuild(KEYS::iterator, BRIEF)).hasValue(2);
          server.ask("RENAME", "ended", old); // As where it could not be deleted.
          server.ask("SETBIT", old, "319", "1");
          server.ask("SETBIT", old, "321", "0");
        });
    assertThatThrownBy(trusting::trust).isInstanceOf(RedisFilterException.class);
    assertThat(server.ask("GETBIT", old, "321")).as("whole").isEqualTo(0L);
  }

  private List<Object> links(long generation) {
    return shards(generation).stream()
        .map(key -> ((List<?>) server.ask("BITFIELD_RO", key, "GET", "i64", "256")).get(0))
        .map(Object.class::cast)
        .toList();
  }

  /** Else it would vouch for the second filter, whose puts nobody has confirmed. */
  @Test
  void aClientOfALostFilter_vouchesForNoneOfAnotherLevel() throws Exception {
    RedisBloomFilter<Long> old =
        builder(redis).durability(Durability.replicas(1, Duration.ofSeconds(10))).create();
    server.ask("FLUSHALL");
    RedisBloomFilter<Long> filter = builder(late).durability(Durability.master()).create();
    server.save();
    filter.put(5_000L);
    server.kill();
    server.startAgain("--save", "3600 1");
    try (RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + server.port())) {
      RedisCluster.until(() -> replica.info("replication", "master_link_status").equals("up"));
      RedisCluster.until(() -> server.info("replication", "slave0").contains("state=online"));
      for (int i = 0; i < 10; i++) {
        assertThat(old.ask(6_000L)).isEqualTo(Answer.UNKNOWN);
        assertThat(filter.ask(5_000L)).isEqualTo(Answer.UNKNOWN);
        Thread.sleep(60); // It tries ten times a second.
      }
      assertThatThrownBy(() -> old.put(6_000L)).isInstanceOf(RedisFilterException.class);
    }
  }
}
