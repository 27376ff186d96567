package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.AbstractRedisClient;
import io.woodbird.Answer;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.redis.WoodbirdRedis;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Two instances of an application, one database, one Redis. */
final class RedisStoreTest extends RedisStoreTests {
  @Configuration(proxyBeanMethods = false)
  static class Jedis {
    @Bean
    redis.clients.jedis.RedisClient jedis(org.springframework.core.env.Environment environment) {
      return redis.clients.jedis.RedisClient.create(environment.getProperty("test.redis"));
    }
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

  /** The other one denies what is not in the filter that both share. */
  @Test
  void anInstanceThatIsSwitchedOff_putsWhatOthersNeed_andNothingIsLostOnItsWayOut() {
    byUrl()
        .withPropertyValues("woodbird.guards.products.follow=none")
        .run(
            one -> {
              awaitBuilt(one);
              byUrl()
                  .withPropertyValues(
                      "woodbird.guards.products.follow=none", "woodbird.enabled=false")
                  .run(
                      off -> {
                        assertThat(guard(one).mightContain(4000L)).isFalse();
                        guard(off).put(4000L);
                        assertThat(guard(off).putAsync(4001L).join()).isEqualTo(1);
                        assertThat(guard(one).mightContain(4000L)).isTrue();
                        assertThat(guard(one).mightContain(4001L)).isTrue();
                        assertThat(guard(off).mightContain(4002L)).as("denies nothing").isTrue();
                        guard(off).close();
                        assertThatThrownBy(() -> guard(off).put(4003L))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("nothing was put");
                      });
            });
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
