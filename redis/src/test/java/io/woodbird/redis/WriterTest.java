package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.RedisEvent.Cause;
import io.woodbird.testkit.RedisCluster;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Writers whom the data that came back does not know. */
final class WriterTest {
  private static final List<Long> KEYS = LongStream.range(0, 5_000).boxed().toList();

  private static RedisBloomBuilder<Long> builder(WoodbirdRedis redis) {
    return redis.bloom("f", Keys.longs(), 10_000).fpp(0.001).seed(8);
  }

  private static boolean succeeds(Runnable put) {
    try {
      put.run();
      return true;
    } catch (RedisFilterException e) {
      return false;
    }
  }

  /** The dump is older than the writer; a stranger comes first and finds nobody to wait for. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void nobodyVouchesForADumpThatMayBeOlderThanAWriter(Clients clients) throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable first = clients.server(server.port());
        AutoCloseable second = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(first);
        WoodbirdRedis other = Clients.patient(second)) {
      RedisBloomFilter<Long> writer = builder(redis).create();
      server.ask("SAVE");
      writer.putAll(KEYS);
      server.kill();
      server.startAgain("--save", "3600 1");
      RedisBloomFilter<Long> reader = builder(other).create();
      assertThat(reader.candidates(KEYS)).isEqualTo(KEYS);
      assertThat(writer.candidates(KEYS)).isEqualTo(KEYS);
      assertThat(reader.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      writer.putAll(KEYS);
      writer.trust();
      assertThat(reader.candidates(KEYS)).isEqualTo(KEYS);
      assertThat(reader.ask(-1L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  @Test
  void aPutDoesNotEndTheDoubt() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable first = Clients.JEDIS.server(server.port());
        AutoCloseable second = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(first);
        WoodbirdRedis other = Clients.patient(second)) {
      RedisBloomFilter<Long> writer = builder(redis).create();
      server.ask("SAVE");
      writer.putAll(KEYS);
      server.kill();
      server.startAgain("--save", "3600 1");
      RedisBloomFilter<Long> reader = builder(other).create();
      // Keys in every shard.
      List<Long> more = LongStream.range(6_000, 7_000).boxed().toList();
      writer.putAll(more);
      assertThat(reader.candidates(KEYS)).isEqualTo(KEYS);
      assertThat(reader.candidates(more)).isEqualTo(more);
      assertThat(reader.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    }
  }

  /** More keys than the journal holds are lost, and a stranger has vouched for what is left. */
  @ParameterizedTest
  @EnumSource(
      value = Durability.Level.class,
      names = {"MASTER", "REPLICAS"})
  void aWriterThatCannotPutAllAgainWithdrawsTheWord(Durability.Level level) throws Exception {
    Durability durability =
        new Durability(level, level == Durability.Level.REPLICAS ? 1 : 0, Duration.ofMillis(300));
    try (RedisServer server = RedisServer.start();
        RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + server.port());
        AutoCloseable first = Clients.JEDIS.server(server.port());
        AutoCloseable second = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(first);
        WoodbirdRedis other = Clients.patient(second)) {
      RedisCluster.until(() -> server.info("replication", "slave0").contains("state=online"));
      RedisBloomFilter<Long> writer = builder(redis).journal(800).durability(durability).create();
      server.ask("SAVE");
      for (Long key : KEYS) {
        // A replica wakes slowly, and on a busy machine it confirms slowly.
        RedisCluster.until(() -> succeeds(() -> writer.put(key)));
      }
      server.kill();
      replica.kill();
      server.startAgain("--save", "3600 1");
      RedisBloomFilter<Long> reader = builder(other).create();
      // The dump is older than the writer's entry: a stranger vouches. A writer of the list comes
      // back
      // by itself, one whose puts are confirmed with its next call; then it withdraws the word.
      assertThat(writer.candidates(KEYS)).isEqualTo(KEYS);
      RedisCluster.until(() -> writer.ask(-1L) == Answer.UNKNOWN);
      assertThat(reader.candidates(KEYS)).isEqualTo(KEYS);
      assertThat(reader.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      if (level == Durability.Level.REPLICAS) {
        assertThatThrownBy(() -> writer.load(KEYS.iterator()))
            .isInstanceOf(RedisFilterException.class)
            .hasMessageContaining("the server says 0");
      }
      replica.startAgain("--replicaof", "127.0.0.1 " + server.port());
      RedisCluster.until(() -> server.info("replication", "slave0").contains("state=online"));
      RedisCluster.until(() -> succeeds(() -> writer.load(KEYS.iterator())));
      writer.trust();
      assertThat(reader.candidates(KEYS)).isEqualTo(KEYS);
      RedisCluster.until(() -> reader.ask(-1L) == Answer.NOT_HERE);
      assertThat(writer.ask(-1L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** Trust holds for one life. */
  @Test
  void theNextLossIsInDoubtAgain() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable first = Clients.JEDIS.server(server.port());
        AutoCloseable second = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(first);
        WoodbirdRedis other = Clients.patient(second)) {
      RedisBloomFilter<Long> writer = builder(redis).create();
      writer.putLong(1L);
      server.ask("SAVE");
      server.kill();
      server.startAgain("--save", "3600 1");
      RedisBloomFilter<Long> reader = builder(other).create();
      assertThat(reader.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      reader.trust();
      assertThat(reader.ask(-1L)).isEqualTo(Answer.NOT_HERE);
      writer.putLong(2L);
      server.ask("SAVE");
      writer.putLong(3L);
      server.kill();
      server.startAgain("--save", "3600 1");
      assertThat(reader.mightContainLong(3L)).isTrue();
      assertThat(reader.candidates(List.of(1L, 2L, 3L))).hasSize(3);
      assertThat(writer.ask(-1L)).isEqualTo(Answer.UNKNOWN);
    }
  }

  /** A writer must be known to the replica that may take over, before its first put is done. */
  @Test
  void theFirstPutWaitsUntilAReplicaKnowsTheWriter() throws Exception {
    RedisServer master = RedisServer.start();
    RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1 " + master.port());
    try (FaultProxy way = new FaultProxy(master.port());
        AutoCloseable first = Clients.JEDIS.server(way.port());
        WoodbirdRedis redis =
            WoodbirdRedis.using(
                first, Clients.brief(master, Duration.ofMillis(700)), event -> {})) {
      RedisCluster.until(() -> master.info("replication", "slave0").contains("state=online"));
      RedisBloomFilter<Long> writer = builder(redis).create();
      RedisCluster.until(
          () -> Long.valueOf(1).equals(replica.ask("HEXISTS", "wbird:meta:f", "listed")));
      replica.freeze();
      assertThatThrownBy(() -> writer.putLong(1L))
          .isInstanceOf(RedisFilterException.class)
          .extracting(e -> ((RedisFilterException) e).reason())
          .isEqualTo(Cause.NOT_DURABLE);
      replica.thaw();
      RedisCluster.until(() -> succeeds(() -> writer.put(2L)));
      replica.freeze();
      RedisCluster.until(() -> succeeds(() -> writer.put(3L)));
      master.kill();
      replica.thaw();
      replica.ask("REPLICAOF", "NO", "ONE");
      try (AutoCloseable second = Clients.JEDIS.server(replica.port());
          WoodbirdRedis other = Clients.patient(second)) {
        RedisBloomFilter<Long> reader = builder(other).create();
        assertThat(reader.ask(-1L)).isEqualTo(Answer.UNKNOWN);
        assertThat(reader.mightContainLong(3L)).isTrue();
        way.bendTo(replica.port());
        RedisCluster.until(() -> writer.ask(-1L) == Answer.NOT_HERE);
        RedisCluster.until(() -> reader.ask(-1L) == Answer.NOT_HERE);
        assertThat(reader.candidates(List.of(2L, 3L))).hasSize(2);
      }
    } finally {
      master.close();
      replica.close();
    }
  }
}
