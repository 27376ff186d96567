package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.key.Keys;
import io.woodbird.redis.layout.ShardHeader;
import io.woodbird.redis.link.Command;
import io.woodbird.redis.link.JedisWire;
import io.woodbird.redis.link.Link;
import io.woodbird.redis.link.RoutedLink;
import io.woodbird.redis.link.Time;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each command of a step in turn is lost on its way to a real server, or its reply is. */
class LostStepsTest {
  private static final List<Long> KEYS = LongStream.range(0, 20).boxed().toList();
  private static final RedisRebuild BRIEF =
      new RedisRebuild(Duration.ofMillis(100), Duration.ZERO, 1);

  private static RedisServer server;
  private static AutoCloseable client;
  private static AutoCloseable second;
  private static Link link;
  private static WoodbirdRedis plain;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    client = Clients.JEDIS.server(server.port());
    second = Clients.LETTUCE.server(server.port());
    link = new RoutedLink(JedisWire.of(client), Clients.PATIENCE);
    plain = Clients.patient(second);
  }

  @AfterAll
  static void stop() throws Exception {
    plain.close();
    link.close();
    client.close();
    second.close();
    server.close();
  }

  /** Loses one command, or its reply, when it is armed. */
  private static final class Losing extends HeldLink {
    private int left = -1;
    private boolean replyOnly;

    Losing() {
      super(link);
    }

    void arm(int number, boolean reply) {
      left = number;
      replyOnly = reply;
    }

    /** Whether the step had fewer commands than that. */
    boolean unused() {
      return left >= 0;
    }

    @Override
    boolean swallow(Command command) {
      if (left < 0 || left-- > 0) {
        return false;
      }
      if (replyOnly) {
        super.run(List.of(command), List.of());
      }
      return true;
    }

    @Override
    public void close() {
      // Others use it too.
    }
  }

  private static RedisBloomBuilder<Long> builder(WoodbirdRedis redis, String name) {
    return redis.bloom(name, Keys.longs(), 100).seed(1);
  }

  /** R8, R9, R13: a rebuild, its swap, and the end of the generation before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRebuildThatLosesAnyCommandDeniesNothing(boolean reply) throws Exception {
    int steps = 0;
    for (boolean more = true; more; steps++) {
      String name = "f" + reply + steps;
      Losing losing = new Losing();
      try (WoodbirdRedis redis =
              new WoodbirdRedis(losing, Time.SYSTEM, Clients.PATIENCE, event -> {});
          RedisBloomFilter<Long> filter = builder(redis, name).create();
          RedisBloomFilter<Long> sleeper = builder(plain, name).open()) {
        filter.putAll(KEYS);
        assertThat(filter.rebuild(KEYS::iterator, BRIEF)).hasValue(2);
        losing.arm(steps, reply);
        try {
          var unused = filter.rebuild(KEYS::iterator, BRIEF);
        } catch (RedisFilterException e) {
          // The build was given up.
        }
        more = !losing.unused();
        losing.arm(-1, false);
        List<Long> all = new ArrayList<>(KEYS);
        try {
          filter.put(100L + steps);
          all.add(100L + steps);
        } catch (RedisFilterException e) {
          // Not acknowledged.
        }
        RedisBloomFilter<Long> newcomer = builder(plain, name).open();
        for (RedisBloomFilter<Long> one : List.of(sleeper, filter, newcomer)) {
          assertThat(one.candidates(all)).as("command %d", steps).containsExactlyElementsOf(all);
        }
        assertThat(newcomer.ask(-5L)).as("command %d", steps).isEqualTo(Answer.NOT_HERE);
        newcomer.close();
      }
    }
    assertThat(steps).as("commands of a rebuild").isGreaterThan(20);
  }

  /** Loses what marks generation 1 as retired, and what removes shards. */
  private static final class Unmarked extends HeldLink {
    private static final String RETIRED = Long.toString(ShardHeader.link(2, true));

    Unmarked() {
      super(link);
    }

    @Override
    boolean swallow(Command command) {
      return command.name == Command.Name.UNLINK
          || (command.name == Command.Name.EVAL
              && Arrays.stream(command.arguments).map(Command::text).anyMatch(RETIRED::equals));
    }

    @Override
    public void close() {
      // Others use it too.
    }
  }

  /** R9: a generation that somebody may still ask takes every put. */
  @Test
  void anOldGenerationThatCouldNotBeMarkedIsNotEnded() throws Exception {
    try (WoodbirdRedis redis =
            new WoodbirdRedis(new Unmarked(), Time.SYSTEM, Clients.PATIENCE, event -> {});
        RedisBloomFilter<Long> filter = builder(redis, "unmarked").create();
        RedisBloomFilter<Long> sleeper = builder(plain, "unmarked").open()) {
      filter.putAll(KEYS);
      assertThat(filter.rebuild(KEYS::iterator, BRIEF)).hasValue(2);
      assertThatThrownBy(() -> filter.rebuild(KEYS::iterator, BRIEF))
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("can't be ended now");
      filter.put(100L);
      assertThat(sleeper.ask(100L)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(sleeper.ask(-5L)).as("it asks the old one").isEqualTo(Answer.NOT_HERE);
    }
  }

  /** R13: a build that could not link a shard is given up; the filter of all others stays. */
  @Test
  void aStallWhileLinkingDeletesNothing() throws Exception {
    Losing losing = new Losing();
    GenerationStore.Plan<Long> plan = new GenerationStore.Plan<>(1, Keys.longs(), 7, 100, 0.01);
    try (WoodbirdRedis redis =
            new WoodbirdRedis(losing, Time.SYSTEM, Clients.PATIENCE, event -> {});
        SharedFilter<Long> one = redis.<Long>store("shared").open(plan, () -> {});
        SharedFilter<Long> other = plain.<Long>store("shared").open(plan, () -> {})) {
      assertThat(one.rebuild(building())).isPresent();
      assertThat(other.look().generation()).isNotNull();
      for (int step = 0; step < 60; step++) {
        losing.arm(step, false);
        try {
          var unused = one.rebuild(building());
        } catch (RedisFilterException e) {
          // Given up.
        }
        losing.arm(-1, false);
        SharedFilter.Seen unused = other.look();
        assertThat(other.ask(-5L)).as("step %d", step).isEqualTo(Answer.NOT_HERE);
        assertThat(other.candidates(KEYS)).hasSize(20);
        server.ask("HDEL", "wbird:meta:shared", "lease", "leaseUntil");
      }
    }
  }

  /** Where nothing is put, a look ends the old generation after its grace. */
  @Test
  void aLookEndsTheOldGenerationAfterItsGrace_andABuildOfTheFutureIsOld() throws Exception {
    GenerationStore.Plan<Long> plan = new GenerationStore.Plan<>(1, Keys.longs(), 7, 100, 0.01);
    String record = "wbird:meta:looked";
    try (SharedFilter<Long> filter = plain.<Long>store("looked").open(plan, () -> {})) {
      assertThat(filter.rebuild(building())).isPresent();
      assertThat(filter.look().age()).isLessThan(Duration.ofHours(1));
      assertThat(server.ask("HEXISTS", record, "previous")).isEqualTo(1L);
      server.ask("HSET", record, "graceUntil", "1");
      long then = System.currentTimeMillis() + Duration.ofDays(365).toMillis();
      server.ask("HSET", record, "built:2", "20 1 " + then);
      SharedFilter.Seen seen = filter.look();
      assertThat(server.ask("HEXISTS", record, "previous")).isEqualTo(0L);
      assertThat(filter.look().age()).isGreaterThan(Duration.ofDays(364));
      assertThat(seen.whole()).isTrue();
    }
  }

  private static SharedFilter.Building<Long> building() {
    return new SharedFilter.Building<>() {
      @Override
      public long capacity() {
        return 100;
      }

      @Override
      public Duration settle() {
        return Duration.ZERO;
      }

      @Override
      public void alive() {}

      @Override
      public long fill(long number, MutableFilter<Long> empty) {
        KEYS.forEach(key -> empty.putHash(empty.hashOf(key)));
        return KEYS.size();
      }
    };
  }

  /** R17: nobody puts anything again: in doubt, questions write nothing. */
  @Test
  void aFilterInDoubtIsOnlyRead() throws Exception {
    try (RedisServer saved = RedisServer.start("--save", "3600 1");
        AutoCloseable its = Clients.JEDIS.server(saved.port());
        WoodbirdRedis redis = Clients.patient(its)) {
      RedisBloomFilter<Long> filter = builder(redis, "f").create();
      RedisDeletableFilter<Long> counting = redis.deletable("c", Keys.longs(), 100).create();
      filter.putAll(KEYS);
      counting.putAll(KEYS);
      saved.ask("SAVE");
      saved.kill();
      saved.startAgain("--save", "3600 1");
      for (int i = 0; i < 100; i++) {
        assertThat(filter.ask(5L)).isNotEqualTo(Answer.NOT_HERE);
        assertThat(counting.ask(5L)).isNotEqualTo(Answer.NOT_HERE);
      }
      assertThat(saved.info("commandstats", "cmdstat_bitfield")).isEmpty();
    }
  }
}
