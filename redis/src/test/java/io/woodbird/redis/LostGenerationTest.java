package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.testkit.RedisServer;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What goes on when the shards of a generation are lost, or its record has become an older one. */
class LostGenerationTest {
  private static final List<Long> KEYS = LongStream.range(0, 300).boxed().toList();

  /** R11: puts go on when the old generation is lost during its grace. */
  @Test
  void putsGoOnWithoutTheOldGeneration() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).seed(1).create();
      filter.putAll(KEYS);
      filter.rebuild(KEYS::iterator, RedisRebuild.usual());
      for (Object key : (List<?>) server.ask("KEYS", "wbird:{*}:f:1:*")) {
        server.ask("DEL", key instanceof byte[] b ? Command.text(b) : "" + key);
      }
      filter.putAll(List.of(5_000L, 5_001L));
      assertThat(filter.candidates(List.of(5_000L, 5_001L))).hasSize(2);
      assertThat(filter.rollBack()).isFalse();
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** R12: a rebuild mends a filter whose shards are lost. */
  @Test
  void aRebuildMendsLostShards() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).seed(1).create();
      filter.putAll(KEYS);
      for (Object key : (List<?>) server.ask("KEYS", "wbird:{*}:f:1:*")) {
        server.ask("DEL", key instanceof byte[] b ? Command.text(b) : "" + key);
      }
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.rebuild(KEYS::iterator, RedisRebuild.usual())).hasValue(2);
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
      filter.putLong(7L);
    }
  }

  /** A record that came back from before its filter was ready is no leave to make it again. */
  @Test
  void aRecordThatFallsBackToMakingIsNotMadeOverPuts() throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client)) {
      RedisBloomFilter<Long> filter = redis.bloom("f", Keys.longs(), 1000).seed(1).create();
      filter.putAll(KEYS);
      server.ask("HSET", "wbird:meta:f", "state:1", "making", "maker", "x", "until", "0");
      assertThatThrownBy(() -> redis.bloom("f", Keys.longs(), 1000).create())
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("not overwritten");
      assertThat(filter.candidates(KEYS)).hasSize(300);
      RedisBloomFilter<Long> unused = redis.bloom("g", Keys.longs(), 1000).create();
      server.ask("HSET", "wbird:meta:g", "state:1", "making", "maker", "x", "until", "0");
      assertThat(redis.bloom("g", Keys.longs(), 1000).create().ask(1L))
          .as("a maker that died left nothing that was put")
          .isEqualTo(Answer.NOT_HERE);
      unused.close();
    }
  }
}
