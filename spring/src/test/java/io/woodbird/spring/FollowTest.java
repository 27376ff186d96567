package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.woodbird.guard.Follower;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import reactor.core.publisher.Mono;

/** Rows that others write are found at once, with the default settings. */
@ExtendWith(OutputCaptureExtension.class)
final class FollowTest extends FollowTests {
  private void insert(long from, long to) throws SQLException {
    try (Connection connection = database.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("insert into product values (?, 'new')")) {
        for (long id = from; id <= to; id++) {
          insert.setLong(1, id);
          insert.addBatch();
        }
        insert.executeBatch();
      }
      connection.commit();
    }
  }

  @Test
  void rowsThatNobodyTellsOf_areFoundInEveryInstance_atOnce() {
    app()
        .run(
            one ->
                app()
                    .run(
                        two -> {
                          TestApp.built(one);
                          TestApp.built(two);
                          assertThat(products(one).find(5000)).isNull();
                          assertThat(products(two).find(5000)).isNull();
                          assertThat(loads).hasValue(0);
                          insert(5000, 7000);
                          for (long id = 5000; id <= 7000; id++) {
                            assertThat(products(one).find(id)).isEqualTo("new");
                            assertThat(products(two).find(id)).isEqualTo("new");
                          }
                          TestApp.execute(database, "insert into product values (-3, 'low')");
                          assertThat(products(one).find(-3)).isEqualTo("low");
                          assertThat(products(two).findLater(-3).join()).isEqualTo("low");
                        }));
  }

  @Test
  void whatIsNotInTheTable_neverReachesTheLoader_whateverTheMethodReturns() {
    app()
        .run(
            context -> {
              TestApp.built(context);
              assertThat(products(context).find(5000)).isNull();
              assertThat(products(context).findLater(5001).join()).isNull();
              assertThat(products(context).findReactive(5002).blockOptional()).isEmpty();
              assertThat(loads).hasValue(0);
              insert(5001, 5002);
              assertThat(products(context).findLater(5001).join()).isEqualTo("new");
              assertThat(products(context).findReactive(5002).block()).isEqualTo("new");
            });
  }

  @Test
  void aMono_asksAtEachSubscription_withAllThatComesAfterTheGuard() {
    AtomicInteger checks = new AtomicInteger();
    MethodInterceptor security =
        invocation -> {
          checks.incrementAndGet();
          return invocation.proceed();
        };
    NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(security);
    advisor.setMappedName("findReactive");
    app()
        .withBean(
            NameMatchMethodPointcutAdvisor.class,
            () -> advisor,
            definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
        .run(
            context -> {
              TestApp.built(context);
              Mono<String> row = products(context).findReactive(5002);
              assertThat(row.blockOptional()).isEmpty();
              assertThat(checks).hasValue(0);
              insert(5002, 5002);
              assertThat(row.block()).isEqualTo("new");
              assertThat(row.block()).isEqualTo("new");
              assertThat(checks).as("each call is checked").hasValue(2);
            });
  }

  /** An advisor between the guard and the look-up lets both subscriptions ask first. */
  @Test
  void eachSubscriptionOfAMono_isCounted_whenOthersComeBeforeItsLookUp() {
    CompletableFuture<Void> gate = new CompletableFuture<>();
    MethodInterceptor late =
        invocation ->
            Mono.fromFuture(gate, true)
                .then(Mono.defer(() -> (Mono<?>) ReflectiveCall.proceed(invocation)));
    NameMatchMethodPointcutAdvisor advisor = new NameMatchMethodPointcutAdvisor(late);
    advisor.setMappedName("findReactive");
    advisor.setOrder(0);
    app()
        .withBean(
            NameMatchMethodPointcutAdvisor.class,
            () -> advisor,
            definition -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE))
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              Mono<String> row = products(context).findReactive(7);
              CompletableFuture<String> one = row.toFuture();
              CompletableFuture<String> two = row.toFuture();
              gate.complete(null);
              assertThat(one.join()).isEqualTo("product 7");
              assertThat(two.join()).isEqualTo("product 7");
              assertThat(guard.stats().loaded()).isEqualTo(2);
            });
  }

  /** Goes on with a call where no checked exception may be thrown. */
  private static final class ReflectiveCall {
    static Object proceed(MethodInvocation invocation) {
      try {
        return invocation.proceed();
      } catch (Throwable e) {
        throw new AssertionError(e);
      }
    }
  }

  @Test
  void aRepeatedFalsePositive_reachesTheLoaderOnce_andIsFoundWhenItsRowComes() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              guard.put(8000L); // In the filter, and not in the table.
              for (int i = 0; i < 100; i++) {
                assertThat(products(context).find(8000)).isNull();
              }
              assertThat(loads).hasValue(1);
              insert(8000, 8000);
              assertThat(products(context).find(8000)).isEqualTo("new");
            });
  }

  @Test
  void aGuardThatDoesNotFollow_saysSo_andAuditsAShare(CapturedOutput output) {
    app("woodbird.guards.products.follow=none")
        .run(
            context -> {
              TestApp.built(context);
              assertThat(output).contains("guard 'products' does not follow its source");
              TestApp.execute(database, "insert into product values (5000, 'late')");
              NamedGuard guard = context.getBean(Guards.class).get("products");
              int questions = 0;
              while (products(context).find(5000) == null) { // Until it is audited.
                questions++;
              }
              assertThat(guard.stats().wrong()).isEqualTo(1);
              // At 0.001 the chance of more than 20,000 is 2e-9.
              assertThat(questions).isLessThan(20_000);
            });
  }

  @Test
  void aDatabaseThatIsAway_isToldInTheLogAndTheHealth_andNothingIsDenied(CapturedOutput output) {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              assertThat(products(context).find(5000)).isNull();
              TestApp.execute(database, "alter table product rename to gone");
              while (guard.lastFailure() == null) {
                assertThat(guard.mightContain(5001L)).isTrue();
              }
              assertThat(output)
                  .contains("guard 'products' denies nothing now")
                  .contains("PRODUCT");
              TestApp.execute(database, "alter table gone rename to product");
              while (guard.lastFailure() != null) {
                LockSupport.parkNanos(1_000_000);
              }
              assertThat(output).contains("guard 'products' guards again");
              assertThat(products(context).find(5002)).isNull();
            });
  }

  @Test
  void theFollowerIsMeasured() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              assertThat(products(context).find(5000)).isNull();
              SimpleMeterRegistry meters = new SimpleMeterRegistry();
              context.getBean("woodbirdMeters", MeterBinder.class).bindTo(meters);
              assertThat(meters.get("woodbird.follower.waits").functionCounter().count())
                  .isPositive();
              assertThat(
                      meters
                          .get("woodbird.follower.proofs")
                          .tag("result", "given")
                          .functionCounter()
                          .count())
                  .isPositive();
              assertThat(meters.get("woodbird.follower.waiting").gauge().value()).isZero();
              assertThat(meters.get("woodbird.follower.misses").gauge().value()).isZero();
              assertThat(guard.lastFailure()).isNull();
            });
  }

  @Test
  void aBean_mayBeTheFollower_andOneThatIsMissingIsNamed() {
    app("woodbird.guards.products.follow=mine")
        .withBean("mine", Follower.class, () -> asked -> key -> true)
        .run(
            context -> {
              TestApp.built(context);
              assertThat(products(context).find(5000)).isNull();
              assertThat(loads).hasValue(0);
            });
    app("woodbird.guards.products.follow=mine")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("there is no Follower bean 'mine'"));
  }

  @Test
  void aFollowerOfTwoGuards_isRefused() {
    Refusals.assertRefused(
        app(
                "woodbird.guards.products.follow=mine",
                "woodbird.guards.others.source.sql=select id from product",
                "woodbird.guards.others.follow=mine")
            .withBean("mine", Follower.class, () -> asked -> key -> true),
        "is that of another guard too",
        "prototype");
  }

  @Test
  void aDataSourceOfSeveralDatabases_isRefused_unlessItIsNamed() {
    AbstractRoutingDataSource routing =
        new AbstractRoutingDataSource() {
          @Override
          protected Object determineCurrentLookupKey() {
            return "one";
          }
        };
    routing.setTargetDataSources(Map.of("one", database));
    routing.afterPropertiesSet();
    DataSource lazy = new LazyConnectionDataSourceProxy(routing);
    DataSource other = OtherRouting.of(database);
    DataSource sharding = OtherRouting.sharding(database);
    for (DataSource source : List.of(routing, lazy, other, sharding)) {
      ApplicationContextRunner app =
          TestApp.runner(Products.class)
              .withBean("both", DataSource.class, () -> source)
              .withPropertyValues("woodbird.guards.products.source.sql=select id from product");
      Refusals.assertRefused(app, "by the calling thread", "source.data-source");
      app.withPropertyValues("woodbird.guards.products.source.data-source=both")
          .run(context -> assertThat(TestApp.built(context).lastFailure()).isNull());
    }
  }

  @Test
  void withABoundOnFreshness_aProofIsUsedAgain() {
    app("woodbird.guards.products.freshness=10m")
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              while (guard.lastFailure() != null) {
                LockSupport.parkNanos(1_000_000);
              }
              assertThat(products(context).find(5000)).isNull();
              long proofs = guard.following().confirmations();
              for (long id = 6000; id < 7000; id++) {
                assertThat(products(context).find(id)).isNull();
              }
              assertThat(guard.following().confirmations()).isEqualTo(proofs);
            });
  }
}
