package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

/** What the starter tells those who make a native image. */
final class NativeHintsTest {
  @Test
  void whatIsFoundByName_isKeptInANativeImage() {
    RuntimeHints hints = new RuntimeHints();
    new WoodbirdHints().registerHints(hints, getClass().getClassLoader());
    for (String type :
        List.of(
            "org.springframework.transaction.support.TransactionSynchronizationManager",
            "reactor.core.publisher.Flux",
            "redis.clients.jedis.UnifiedJedis",
            "io.lettuce.core.AbstractRedisClient",
            "org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider")) {
      assertThat(RuntimeHintsPredicates.reflection().onType(TypeReference.of(type)))
          .as(type)
          .accepts(hints);
    }
    for (String getter : List.of("getMethod", "getMethodName", "getArgs", "getTarget")) {
      assertThat(
              RuntimeHintsPredicates.reflection()
                  .onMethodInvocation(KeyExpression.Root.class, getter))
          .as(getter)
          .accepts(hints);
    }
    assertThat(
            RuntimeHintsPredicates.reflection().onType(TypeReference.of("absent.Type")).test(hints))
        .isFalse();
  }
}
