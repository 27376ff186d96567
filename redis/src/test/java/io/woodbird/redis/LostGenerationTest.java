package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedFilter;
import io.woodbird.key.Keys;
import io.woodbird.redis.link.Command;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
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

  /** A source of a few keys that is always there. */
  private static final class Source implements SharedFilter.Building<Long> {
    @Override
    public long capacity() {
      return 1_000;
    }

    @Override
    public Duration settle() {
      return Duration.ZERO;
    }

    @Override
    public void alive() {}

    @Override
    public long fill(long number, MutableFilter<Long> empty) {
      return empty.putAll(KEYS);
    }
  }

  /** The client knows the old filter, and puts into the new one, which has nothing. */
  @Test
  void aPutIntoAFilterThatWasMadeAgain_callsNoKeyNew() throws Exception {
    GenerationStore.Plan<Long> plan = new GenerationStore.Plan<>(1, Keys.longs(), 7, 1_000, 0.01);
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client);
        SharedFilter<Long> filter = redis.<Long>store("s").open(plan, () -> {})) {
      assertThat(filter.rebuild(new Source())).isPresent();
      assertThat(filter.put(5_000L)).isTrue();
      server.ask("FLUSHALL");
      redis.<Long>store("s").open(plan, () -> {}).close();
      assertThat(filter.put(5_000L)).as("it was put before").isFalse();
      assertThat(filter.generation()).as("the new one").isEmpty();
      assertThat(filter.look().whole()).isFalse();
      assertThat(filter.rebuild(new Source())).isPresent();
      assertThat(filter.candidates(KEYS)).hasSize(300);
      assertThat(filter.ask(9_999L)).isEqualTo(Answer.NOT_HERE);
    }
  }

  /** Another client makes it again at another level: this one goes on with that. */
  @Test
  void aFilterThatWasMadeAgain_mayHaveAnotherLevel() throws Exception {
    GenerationStore.Plan<Long> plan = new GenerationStore.Plan<>(1, Keys.longs(), 7, 1_000, 0.01);
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = Clients.JEDIS.server(server.port());
        WoodbirdRedis redis = Clients.patient(client);
        SharedFilter<Long> filter = redis.<Long>store("s").near().open(plan, () -> {})) {
      assertThat(filter.rebuild(new Source())).isPresent();
      server.ask("FLUSHALL");
      Durability level = Durability.replicas(1, Duration.ofMillis(10));
      redis.<Long>store("s").durability(level).open(plan, () -> {}).close();
      assertThat(filter.look().generation()).isNull();
      assertThatThrownBy(() -> filter.put(5_000L)) // There is no replica.
          .isInstanceOf(RedisFilterException.class)
          .hasMessageContaining("REPLICAS");
    }
  }
}
