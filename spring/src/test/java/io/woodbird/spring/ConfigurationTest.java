package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.guard.GenerationStore;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.support.CronExpression;

/** What can be configured, and what is refused with which words. */
final class ConfigurationTest {
  private static ApplicationContextRunner with(String... properties) {
    return TestApp.runner(TestApp.Database.class).withPropertyValues(properties);
  }

  @Test
  void withoutGuardsNothingHappens() {
    TestApp.runner()
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(Guards.class).all()).isEmpty();
            });
  }

  @Test
  void sql_isReadIntoTheFilter() {
    TestApp.guarded()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              assertThat(guard.generation().orElseThrow().keys()).isEqualTo(TestApp.ROWS);
              for (long id = 1; id <= TestApp.ROWS; id++) {
                assertThat(guard.mightContain(id)).isTrue();
              }
              assertThat(guard.mightContain(0L)).isFalse();
              TestApp.execute(
                  context.getBean(DataSource.class), "delete from product where id = 5");
              TestApp.rebuild(guard);
              assertThat(guard.mightContain(5L)).isFalse();
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class Sources {
    @Bean
    Supplier<Stream<UUID>> uuids() {
      return () -> Stream.of(new UUID(1, 2), new UUID(3, 4));
    }

    @Bean
    String notASource() {
      return "";
    }
  }

  @Test
  void bean_isReadIntoTheFilter() {
    with("woodbird.guards.products.source.bean=uuids", "woodbird.guards.products.key=uuid")
        .withUserConfiguration(Sources.class)
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              assertThat(guard.mightContain(new UUID(1, 2))).isTrue();
              assertThat(guard.mightContain(new UUID(1, 3))).isFalse();
            });
  }

  @Test
  void strings_areKeysToo() {
    with(
            "woodbird.guards.products.source.sql=select name from product",
            "woodbird.guards.products.key=string")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              assertThat(guard.mightContain("product 7")).isTrue();
              assertThat(guard.mightContain("product 0")).isFalse();
            });
  }

  @Test
  void cron_isReadInUtcAndNeverAsksForThePast() {
    CronExpression cron = CronExpression.parse("0 30 3 * * *");
    LocalDateTime now = LocalDateTime.parse("2026-01-01T00:00:00");
    for (int hour = 0; hour < 24 * 366; hour++) {
      Duration wait = RebuildingGuardFilter.untilNext(cron, now.plusHours(hour));
      assertThat(wait).isPositive().isLessThanOrEqualTo(Duration.ofDays(1));
      assertThat(now.plusHours(hour).plus(wait).toLocalTime()).isEqualTo(LocalTime.of(3, 30));
    }
    CronExpression never = CronExpression.parse("0 0 0 30 2 *");
    assertThat(RebuildingGuardFilter.untilNext(never, now)).isGreaterThan(Duration.ofDays(9999));
    TestApp.guarded()
        .withPropertyValues("woodbird.guards.products.rebuild.cron=0 30 3 * * *")
        .run(context -> assertThat(TestApp.built(context).generation()).isPresent());
  }

  @Test
  void aBrokenQueryIsReportedAndEverythingIsMaybe() {
    with("woodbird.guards.products.source.sql=select id from prodcut")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              NamedGuard guard = context.getBean(Guards.class).get("products");
              assertThat(guard.rebuild().handle((built, failure) -> failure).join()).isNotNull();
              assertThat(guard.lastFailure()).containsIgnoringCase("prodcut");
              assertThat(guard.mightContain(1L)).isTrue();
            });
  }

  @Test
  void anEmptyTableIsAMistakeUnlessAllowed() {
    String[] empty = {"woodbird.guards.products.source.sql=select id from product where id < 0"};
    with(empty)
        .run(
            context -> {
              NamedGuard guard = context.getBean(Guards.class).get("products");
              assertThat(guard.rebuild().handle((built, failure) -> failure).join())
                  .hasMessageContaining("gave no key");
              assertThat(guard.mightContain(1L)).isTrue();
            });
    with(empty)
        .withPropertyValues("woodbird.guards.products.allow-empty-source=true")
        .run(context -> assertThat(TestApp.built(context).mightContain(1L)).isFalse());
  }

  @Test
  void file_confirmsKeysAfterARestartUntilTheFirstBuild(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("products.wbird");
    String[] stored = {
      "woodbird.guards.products.store=file", "woodbird.guards.products.file=" + file
    };
    TestApp.guarded().withPropertyValues(stored).run(TestApp::built);
    try (InputStream in = Files.newInputStream(file)) {
      assertThat(Woodbird.readFrom(in, Keys.longs()).mightContainLong(7L)).isTrue();
    }
    with(stored)
        .withPropertyValues("woodbird.guards.products.source.sql=select id from not_yet_there")
        .run(
            context -> {
              NamedGuard guard = context.getBean(Guards.class).get("products");
              assertThat(guard.rebuild().handle((built, failure) -> failure).join()).isNotNull();
              assertThat(guard.check("7")).isEqualTo("MAYBE_HERE");
              assertThat(guard.check("1007")).isEqualTo("UNKNOWN");
            });
    Files.write(file, new byte[100]);
    TestApp.guarded()
        .withPropertyValues(stored)
        .run(context -> assertThat(TestApp.built(context).check("1007")).isEqualTo("NOT_HERE"));
  }

  @Configuration(proxyBeanMethods = false)
  static class OtherStore {
    final AtomicInteger made = new AtomicInteger();

    @Bean
    GuardStoreFactory store() {
      return new GuardStoreFactory() {
        @Override
        public String name() {
          return "elsewhere";
        }

        @Override
        public GuardFilter create(GuardPlan plan) {
          assertThat(plan.guard()).isEqualTo("products");
          return GuardFilter.rebuilding(plan, generation -> begin(generation));
        }
      };
    }

    private MutableFilter<Object> begin(GenerationStore.Plan<Object> plan) throws IOException {
      made.incrementAndGet();
      return GenerationStore.memory().begin(plan);
    }
  }

  @Test
  void anotherModuleMayOfferAStore() {
    TestApp.guarded(OtherStore.class)
        .withPropertyValues("woodbird.guards.products.store=elsewhere")
        .run(
            context -> {
              assertThat(TestApp.built(context).mightContain(1L)).isTrue();
              assertThat(context.getBean(OtherStore.class).made).hasPositiveValue();
            });
  }

  @Test
  void whatCanNotBeRightIsRefusedInWords() {
    String sql = "woodbird.guards.products.source.sql=select id from product";
    Refusals.assertRefused(
        with("woodbird.guards.products.fpp=0.01"), "it has no source", "source.sql");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.source.bean=uuids"), "two sources", "either");
    Refusals.assertRefused(
        TestApp.runner().withPropertyValues(sql), "there is no DataSource", "spring.datasource");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.source.data-source=other"),
        "no DataSource 'other'",
        "spring.datasource");
    Refusals.assertRefused(
        with(sql).withUserConfiguration(SecondDatabase.class),
        "several DataSource beans",
        "source.data-source");
    Refusals.assertRefused(
        with("woodbird.guards.products.source.bean=nobody"), "no bean 'nobody'", "KeySource");
    Refusals.assertRefused(
        with("woodbird.guards.products.source.bean=notASource")
            .withUserConfiguration(Sources.class),
        "is a java.lang.String",
        "Supplier of a Stream");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.store=cloud"),
        "no store 'cloud'",
        "memory, file or redis");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.store=file"), "no file is named", ".file");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.fpp=2"),
        "fpp must be above 0 and below 1: 2.0",
        "Correct");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.bulkhead=0"),
        "bulkhead must be positive: 0",
        "Correct");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.audit=7"), "audit must be from 0 to 1: 7.0", "Correct");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.headroom=0.5"), "headroom must be", "Correct");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.rebuild.every=-1s"),
        "every must be positive",
        "Correct");
    Refusals.assertRefused(
        with(sql, "woodbird.guards.products.rebuild.cron=sometimes"),
        "rebuild.cron can't be read",
        "six fields");
  }

  @Configuration(proxyBeanMethods = false)
  static class SecondDatabase {
    @Bean
    DataSource second() {
      return new JdbcDataSource();
    }
  }

  @Test
  void propertiesAreDescribedForEditors() throws IOException {
    try (InputStream in =
        Guards.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json")) {
      assertThat(in).isNotNull();
      String metadata = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertThat(metadata).contains("\"woodbird.enabled\"").contains("\"woodbird.guards\"");
      assertThat(metadata).contains("Whether guards are active.");
    }
  }
}
