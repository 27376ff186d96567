package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.redis.WoodbirdRedis;
import io.woodbird.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import reactor.core.publisher.Mono;

/** Two instances of an application, one database, one Redis. */
final class RedisStoreTest {
  private static final AtomicInteger loads = new AtomicInteger();

  private RedisServer server;
  private DataSource database;

  @BeforeEach
  void start() {
    server = RedisServer.start();
    database = new TestApp.Database().dataSource();
    loads.set(0);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static final Duration TIMEOUT = Duration.ofMillis(500);

  static class Products {
    @Autowired DataSource dataSource;

    @Guarded("products")
    public String find(long id) throws Exception {
      loads.incrementAndGet();
      try (var connection = dataSource.getConnection();
          var query = connection.prepareStatement("select name from product where id = ?")) {
        query.setLong(1, id);
        try (var rows = query.executeQuery()) {
          return rows.next() ? rows.getString(1) : null;
        }
      }
    }

    @Guarded("products")
    public Mono<String> findReactive(long id) {
      return Mono.fromCallable(() -> find(id));
    }
  }

  private ApplicationContextRunner app(String... properties) {
    return TestApp.runner(Products.class)
        .withBean(DataSource.class, () -> database)
        .withPropertyValues(
            "spring.application.name=shop",
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6",
            "woodbird.guards.products.store=redis",
            "woodbird.redis.timeout=20s",
            "woodbird.guards.products.rebuild.settle=0s",
            "woodbird.guards.products.rebuild.retry-after=300ms")
        .withPropertyValues(properties);
  }

  private ApplicationContextRunner byUrl() {
    return app("woodbird.redis.url=redis://127.0.0.1:" + server.port());
  }

  /** An application that does not wait long for a server that is away. */
  private ApplicationContextRunner hasty() {
    return byUrl().withPropertyValues("woodbird.redis.timeout=" + TIMEOUT.toMillis() + "ms");
  }

  @Configuration(proxyBeanMethods = false)
  static class Jedis {
    @Bean
    redis.clients.jedis.RedisClient jedis(org.springframework.core.env.Environment environment) {
      return redis.clients.jedis.RedisClient.create(environment.getProperty("test.redis"));
    }
  }

  private static NamedGuard guard(ApplicationContext context) {
    return context.getBean(Guards.class).get("products");
  }

  private static String find(ApplicationContext context, long id) {
    try {
      return context.getBean(Products.class).find(id);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void await(BooleanSupplier what) {
    for (int i = 0; !what.getAsBoolean(); i++) {
      assertThat(i).as("waited for a minute").isLessThan(3000);
      try {
        TimeUnit.MILLISECONDS.sleep(20);
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void awaitBuilt(ApplicationContext context) {
    await(() -> guard(context).generation().isPresent());
  }

  @Test
  void whatOneInstanceBuilds_theOtherAnswersAtOnce() {
    byUrl()
        .run(
            one -> {
              awaitBuilt(one);
              assertThat(find(one, 5)).isEqualTo("product 5");
              assertThat(find(one, 9999)).isNull();
              assertThat(loads).hasValue(1);
              byUrl()
                  .run(
                      two -> {
                        awaitBuilt(two);
                        long first = guard(one).generation().orElseThrow().number();
                        assertThat(guard(two).generation()).isEqualTo(guard(one).generation());
                        assertThat(find(two, 9999)).isNull();
                        assertThat(loads).hasValue(1);

                        guard(two).put(2000L);
                        TestApp.execute(
                            database, "insert into product values (2000, 'product 2000')");
                        assertThat(find(one, 2000)).isEqualTo("product 2000");
                        assertThat(find(two, 2001)).isNull();
                        TestApp.execute(database, "insert into product values (2001, 'a script')");
                        assertThat(List.of(find(one, 2001), find(two, 2001)))
                            .containsOnly("a script");

                        TestApp.execute(database, "delete from product where id <= 50");
                        assertThat(TestApp.rebuild(guard(two)).number()).isGreaterThan(first);
                        int before = loads.get();
                        assertThat(find(one, 5)).isNull();
                        assertThat(loads).hasValue(before); // Not here, and nobody asked.
                        for (long id = 51; id <= TestApp.ROWS; id++) {
                          assertThat(find(one, id)).isNotNull();
                        }
                        assertThat(guard(one).generation()).isEqualTo(guard(two).generation());
                      });
            });
  }

  /** A thread of an event loop asks about many keys, and waits for none. */
  @Test
  void aReactiveMethod_holdsNoThreadUp_whileRedisIsSilent() {
    byUrl()
        .run(
            context -> {
              awaitBuilt(context);
              Products products = context.getBean(Products.class);
              assertThat(products.findReactive(5).block()).isEqualTo("product 5");
              await(() -> guard(context).following().ask(-1L) == Answer.NOT_HERE);
              int before = loads.get();
              server.freeze();
              List<CompletableFuture<String>> found =
                  LongStream.range(10_000, 10_050)
                      .mapToObj(id -> products.findReactive(id).toFuture())
                      .toList();
              assertThat(found).noneMatch(CompletableFuture::isDone);
              server.thaw();
              assertThat(found).allMatch(one -> one.join() == null);
              assertThat(loads).hasValue(before);
            });
  }

  /** How many commands Redis gets for keys that do not exist. */
  private long commandsOfAnAttack(ApplicationContext context) {
    awaitBuilt(context);
    FollowingFilter<Object> filter = guard(context).following();
    await(() -> filter.ask(-1L) == Answer.NOT_HERE);
    long before = Long.parseLong(server.info("stats", "total_commands_processed"));
    List<CompletableFuture<Answer>> answers =
        LongStream.range(10_000, 10_300).mapToObj(filter::askAsync).toList();
    assertThat(answers).allMatch(answer -> answer.join() == Answer.NOT_HERE);
    return Long.parseLong(server.info("stats", "total_commands_processed")) - before;
  }

  @Test
  void withACopyInTheInstance_anAttackDoesNotReachRedis_andRowsAreFound() {
    byUrl().run(context -> assertThat(commandsOfAnAttack(context)).isGreaterThan(299));
    byUrl()
        .withPropertyValues("woodbird.guards.products.redis.near=true")
        .run(
            context -> {
              awaitBuilt(context);
              await(() -> guard(context).filter().ask(5L) == Answer.MAYBE_HERE);
              assertThat(commandsOfAnAttack(context)).isLessThan(200);
              TestApp.execute(database, "insert into product values (10007, 'by a script')");
              assertThat(find(context, 10_007)).isEqualTo("by a script");
              assertThat(find(context, 5)).isEqualTo("product 5");
            });
  }

  @Test
  void putsWaitForReplicasAndDisks_ifThatIsChosen() {
    byUrl()
        .withPropertyValues(
            "woodbird.guards.products.redis.durability=replicas",
            "woodbird.guards.products.redis.patience=100ms",
            "woodbird.guards.products.follow=none")
        .run(
            context -> {
              await(() -> String.valueOf(guard(context).lastFailure()).contains("replicas"));
              assertThatThrownBy(() -> guard(context).put(3000L))
                  .hasMessageContaining("level=REPLICAS, replicas=1, patience=PT0.1S");
            });
    byUrl()
        .withPropertyValues("woodbird.guards.products.redis.durability=master")
        .run(
            context ->
                await(
                    () ->
                        String.valueOf(guard(context).lastFailure())
                            .contains("another durability")));
  }

  /** Ten minutes, if it did. */
  @Test
  void theFirstBuild_doesNotWait_whereKeysAreLookedUpBeforeTheyAreDenied() {
    ApplicationContextRunner usual =
        TestApp.runner(Products.class)
            .withBean(DataSource.class, () -> database)
            .withPropertyValues(
                "spring.application.name=first",
                "woodbird.guards.products.source.sql=select id from product",
                "woodbird.guards.products.store=redis",
                "woodbird.redis.timeout=20s",
                "woodbird.redis.url=redis://127.0.0.1:" + server.port());
    usual.run(
        context -> {
          awaitBuilt(context);
          await(() -> guard(context).filter().ask(-1L) == Answer.NOT_HERE);
        });
  }

  @Test
  void theApplicationsOwnClient_isUsed() {
    app("spring.data.redis.port=" + server.port(), "spring.data.redis.host=127.0.0.1")
        .withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
        .run(
            context -> {
              awaitBuilt(context);
              assertThat(find(context, 9999)).isNull();
              assertThat(loads).hasValue(0);
            });
    app("test.redis=redis://127.0.0.1:" + server.port())
        .withUserConfiguration(Jedis.class)
        .run(
            context -> {
              awaitBuilt(context);
              assertThat(find(context, 9999)).isNull();
              assertThat(loads).hasValue(0);
            });
    app("spring.data.redis.port=" + server.port(), "spring.data.redis.host=127.0.0.1")
        .run(TestApp::built);
  }

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

  /** As with Jedis 7, which has some of the classes. */
  @Test
  void aClientThatIsTooOld_isSaidInWords() {
    LettuceConnectionFactory old =
        new LettuceConnectionFactory() {
          @Override
          public AbstractRedisClient getNativeClient() {
            throw new NoSuchMethodError("as in a test");
          }
        };
    app()
        .withBean("old", LettuceConnectionFactory.class, () -> old)
        .run(
            context -> {
              NamedGuard guard = guard(context);
              assertThat(
                      guard.rebuild().handle((built, failure) -> failure).get(5, TimeUnit.MINUTES))
                  .isNotNull();
              assertThat(guard.lastFailure()).contains("needs Jedis 8").contains("as in a test");
            });
  }

  @Test
  void whatIsMissing_isSaidInWords() {
    Refusals.assertRefused(
        TestApp.guarded()
            .withPropertyValues("woodbird.guards.products.store=redis")
            .withClassLoader(new FilteredClassLoader(WoodbirdRedis.class)),
        "woodbird-redis is not on the class path",
        "io.woodbird:woodbird-redis");
    Refusals.assertRefused(app(), "no client of Jedis 8 or Lettuce", "woodbird.redis.url");
    Refusals.assertRefused(
        byUrl().withPropertyValues("spring.application.name="),
        "tells this application's filters from those of others",
        "spring.application.name");
    Refusals.assertRefused(
        byUrl().withPropertyValues("woodbird.guards.products.redis.lag=100ms"),
        "redis.lag is the age of a copy",
        "redis.near");
    Refusals.assertRefused(
        byUrl()
            .withPropertyValues(
                "woodbird.guards.products.redis.near=true",
                "woodbird.guards.products.redis.lag=0s"),
        "redis.lag must be positive",
        "Remove it");
    Refusals.assertRefused(
        byUrl().withPropertyValues("woodbird.guards.products.redis.replicas=2"),
        "redis.replicas and redis.patience belong to a durability",
        "redis.durability");
    Refusals.assertRefused(
        byUrl()
            .withPropertyValues(
                "woodbird.guards.products.redis.durability=disk",
                "woodbird.guards.products.redis.patience=20s"),
        "is not below woodbird.redis.timeout",
        "time-out longer");
    Refusals.assertRefused(
        app("woodbird.redis.url=http://s3cret@host"), "the address can't be read", "redis://");
    Refusals.assertRefused(
        app("woodbird.redis.client=nobody"),
        "'nobody', and there is no such bean",
        "Name a client");
    Refusals.assertRefused(
        app("woodbird.redis.client=dataSource"), "a " + JdbcDataSource.class.getName(), "Name a");
    Refusals.assertRefused(
        app("test.redis=redis://127.0.0.1:" + server.port())
            .withUserConfiguration(Jedis.class)
            .withBean(
                "other" + UUID.randomUUID(),
                redis.clients.jedis.RedisClient.class,
                () -> redis.clients.jedis.RedisClient.create("127.0.0.1", server.port())),
        "there are several clients",
        "woodbird.redis.client");
  }
}
