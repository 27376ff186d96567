package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisServer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Puts that the master alone has: after a loss nobody vouches for what came back. */
final class WriterTest {
  private static final List<Long> KEYS = LongStream.range(0, 5_000).boxed().toList();

  private static RedisBloomBuilder<Long> builder(WoodbirdRedis redis) {
    return redis.bloom("f", Keys.longs(), 10_000).fpp(0.001).seed(8);
  }

  /** The dump is older than the puts; a stranger comes first. */
  @ParameterizedTest
  @EnumSource(Clients.class)
  void nobodyVouchesForADumpThatMayBeOlderThanAPut(Clients clients) throws Exception {
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
}
