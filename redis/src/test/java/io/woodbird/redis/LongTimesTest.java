package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Times so long that they mean "never", and so short that they would mean "for ever". */
final class LongTimesTest {
  private static final Duration AGES = Duration.ofSeconds(Long.MAX_VALUE);

  @ParameterizedTest
  @EnumSource(Clients.class)
  void everyTimeMayBeAgesLong(Clients clients) throws Exception {
    try (RedisServer server = RedisServer.start();
        AutoCloseable client = clients.server(server.port());
        WoodbirdRedis redis = WoodbirdRedis.using(client, AGES, event -> {});
        RedisBloomFilter<Long> filter =
            redis.bloom("ages", Keys.longs(), 1_000).near(AGES).create()) {
      filter.put(1L);
      OptionalLong number =
          filter.rebuild(List.of(1L, 2L)::iterator, new RedisRebuild(AGES, AGES, 1));
      assertThat(number).isPresent();
      assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  @Test
  void aPatienceThatRedisWouldTakeForNoLimitIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Durability.replicas(1, Duration.ofNanos(999_999)))
        .withMessage("patience must be at least 1 ms: PT0.000999999S");
  }
}
