package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.Answer;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A Redis that is silent or gone, and an application that stops. */
final class RedisStoreFaultsTest extends RedisStoreTests {
  /** As around a checkpoint of the JVM, or between tests that share a context. */
  @Test
  void aContextThatStopsAndStarts_guardsAgain_withAnotherClient() {
    String none = "woodbird.guards.products.follow=none";
    for (ApplicationContextRunner app :
        List.of(
            byUrl().withPropertyValues(none),
            app(none, "spring.data.redis.port=" + server.port(), "spring.data.redis.host=127.0.0.1")
                .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class)))) {
      app.run(
          context -> {
            awaitBuilt(context);
            assertThat(guard(context).filter().ask(9999L)).isEqualTo(Answer.NOT_HERE);
            context.getSourceApplicationContext().stop();
            assertThat(guard(context).filter().ask(9999L)).isEqualTo(Answer.UNKNOWN);
            context.getSourceApplicationContext().start();
            guard(context).put(9998L);
            await(() -> guard(context).filter().ask(9999L) == Answer.NOT_HERE);
            assertThat(guard(context).filter().ask(9998L)).isEqualTo(Answer.MAYBE_HERE);
          });
    }
  }

  /** Puts a key when the guards have given up their connections, and the client is still there. */
  static class LatePut implements SmartLifecycle {
    private final Guards guards;
    private volatile boolean running;

    LatePut(Guards guards, LettuceConnectionFactory stoppedAfterThis) {
      this.guards = guards;
    }

    @Override
    public int getPhase() {
      return 0;
    }

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      running = false;
      guards.get("products").put(9997L);
    }

    @Override
    public boolean isRunning() {
      return running;
    }
  }

  @Test
  void aPutWhileAContextStops_doesNotKeepTheClientThatIsStoppedNext() {
    app(
            "woodbird.guards.products.follow=none",
            "woodbird.redis.timeout=2s",
            "spring.data.redis.port=" + server.port(),
            "spring.data.redis.host=127.0.0.1")
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .withBean(LatePut.class)
        .run(
            context -> {
              awaitBuilt(context);
              context.getSourceApplicationContext().stop();
              context.getSourceApplicationContext().start();
              await(() -> guard(context).filter().ask(9999L) == Answer.NOT_HERE);
              guard(context).put(9998L);
              assertThat(guard(context).filter().ask(9998L)).isEqualTo(Answer.MAYBE_HERE);
            });
  }

  /** A client may wait for a minute for the first reply of a server. */
  @Test
  void anApplicationStops_whileRedisIsSilent() {
    server.freeze();
    try {
      byUrl()
          .run(
              context -> {
                await(
                    () ->
                        Thread.getAllStackTraces().values().stream()
                            .flatMap(Stream::of)
                            .anyMatch(
                                frame ->
                                    frame.getMethodName().equals("connect")
                                        && frame
                                            .getClassName()
                                            .equals(RedisClient.class.getName())));
                long began = System.nanoTime();
                context.getSourceApplicationContext().close();
                assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isLessThan(Duration.ofSeconds(30));
              });
    } finally {
      server.thaw();
    }
  }

  @Test
  void aKilledRedis_stopsNobody() {
    hasty()
        .withPropertyValues("woodbird.guards.products.follow=none")
        .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
        .run(
            context -> {
              awaitBuilt(context);
              HealthIndicator health =
                  context.getBean("woodbirdHealthIndicator", HealthIndicator.class);
              assertThat(health.health().getStatus()).isEqualTo(Status.UP);
              server.kill();
              int waited = 0;
              for (long id = 1; id <= 20; id++) {
                long began = System.nanoTime();
                assertThat(find(context, id)).isEqualTo("product " + id);
                waited += System.nanoTime() - began < TIMEOUT.toNanos() ? 0 : 1;
              }
              assertThat(waited).as("finds that waited for the time-out").isLessThan(16);
              int before = loads.get();
              assertThat(find(context, 9999)).isNull();
              assertThat(loads).hasValue(before + 1); // Nobody knew, so the database was asked.
              assertThat(guard(context).stats().unknown()).isEqualTo(21);
              assertThat(health.health().getStatus()).isEqualTo(Status.UNKNOWN);
              assertThat(health.health().getDetails().toString()).contains("UNREACHABLE");
              assertThatThrownBy(() -> guard(context).put(3000L))
                  .hasMessageContaining("not known to be done");
              SimpleMeterRegistry meters = new SimpleMeterRegistry();
              context.getBean(RedisMeters.class).bindTo(meters);
              assertThat(
                      meters
                          .get("woodbird.redis.events")
                          .tags("guard", "products", "cause", "unreachable")
                          .functionCounter()
                          .count())
                  .isPositive();

              server.startAgain(); // Empty: nothing was on disk.
              await(
                  () -> {
                    assertThat(find(context, 7)).isEqualTo("product 7");
                    int loaded = loads.get();
                    return find(context, 9999) == null && loads.get() == loaded;
                  });
              await(() -> health.health().getStatus().equals(Status.UP));
            });
  }

  @Test
  void withAKilledRedis_theDatabaseStillProvesWhatIsAbsent() {
    hasty()
        .run(
            context -> {
              awaitBuilt(context);
              server.kill();
              assertThat(find(context, 5)).isEqualTo("product 5");
              int before = loads.get();
              assertThat(find(context, 9999)).isNull();
              assertThat(loads).as("looked up by the guard alone").hasValue(before);
              TestApp.execute(database, "insert into product values (9999, 'late')");
              assertThat(find(context, 9999)).isEqualTo("late");
            });
  }

  @Test
  void anApplicationThatStartsWithoutRedis_serves() {
    server.kill();
    hasty()
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(find(context, 5)).isEqualTo("product 5");
              assertThat(find(context, 9999)).isNull();
              await(
                  () ->
                      String.valueOf(guard(context).lastFailure())
                          .contains("Redis can't be reached"));
              server.startAgain();
              awaitBuilt(context);
              await(
                  () -> {
                    int before = loads.get();
                    assertThat(find(context, 9999)).isNull();
                    return loads.get() == before; // Nobody asked the database.
                  });
            });
  }

  /** A put may come too late, and nobody would close the client that is made for it. */
  @Test
  void whenTheContextIsClosed_nothingIsOpened() {
    byUrl()
        .run(
            context -> {
              WoodbirdProperties.GuardProperties properties =
                  context.getBean(WoodbirdProperties.class).guards().get("products");
              GuardPlan plan =
                  new GuardPlan(
                      "products",
                      properties.key().hasher(),
                      () -> Stream.of(1L),
                      properties,
                      true,
                      event -> {});
              try (GuardFilter late = context.getBean(RedisGuardStore.class).create(plan)) {
                context.getSourceApplicationContext().close();
                assertThatThrownBy(() -> late.filter().put(5L))
                    .hasMessageContaining("the application stopped");
              }
            });
  }
}
