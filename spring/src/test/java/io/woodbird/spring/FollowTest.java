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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/** Rows that others write are found at once, with the default settings. */
@ExtendWith(OutputCaptureExtension.class)
final class FollowTest {
  private static final AtomicInteger loads = new AtomicInteger();

  private final DataSource database = new TestApp.Database().dataSource();

  @BeforeEach
  void forget() {
    loads.set(0);
  }

  /** Guarded look-ups. */
  static class Products {
    private final JdbcTemplate database;

    Products(DataSource database) {
      this.database = new JdbcTemplate(database);
    }

    @Guarded("products")
    public String find(long id) {
      loads.incrementAndGet();
      List<String> names =
          database.queryForList("select name from product where id = ?", String.class, id);
      return names.isEmpty() ? null : names.get(0);
    }

    @Guarded("products")
    public CompletableFuture<String> findLater(long id) {
      return CompletableFuture.completedFuture(find(id));
    }

    @Guarded("products")
    public Mono<String> findReactive(long id) {
      return Mono.justOrEmpty(find(id));
    }
  }

  private ApplicationContextRunner app(String... properties) {
    return TestApp.runner(Products.class)
        .withBean(DataSource.class, () -> database)
        .withPropertyValues(
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6")
        .withPropertyValues(properties);
  }

  private static Products products(ApplicationContext context) {
    return context.getBean(Products.class);
  }

  private static NamedGuard guard(ApplicationContext context) {
    return context.getBean(Guards.class).get("products");
  }

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

  /** It sees the rows of its beginning, whatever was deleted since. */
  @Test
  void aTransactionThatReadsASnapshot_isDeniedNothing() {
    app()
        .run(
            context -> {
              NamedGuard guard = TestApp.built(context);
              TransactionTemplate reading =
                  new TransactionTemplate(new DataSourceTransactionManager(database));
              reading.setReadOnly(true);
              reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
              reading.executeWithoutResult(
                  status -> {
                    assertThat(products(context).find(8)).isEqualTo("product 8");
                    TestApp.execute(database, "delete from product where id = 7");
                    TestApp.rebuild(guard);
                    assertThat(products(context).find(7)).isEqualTo("product 7");
                    assertThat(products(context).findReactive(7).block()).isEqualTo("product 7");
                    assertThat(guard.mightContain(7L)).isTrue();
                  });
              assertThat(products(context).find(7)).isNull();
              reading.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
              loads.set(0);
              reading.executeWithoutResult(
                  status -> assertThat(products(context).find(7)).isNull());
              assertThat(loads).as("denied").hasValue(0);
            });
  }

  @Test
  void aTransaction_findsTheRowsThatItHasWritten() {
    app()
        .run(
            context -> {
              TestApp.built(context);
              TransactionTemplate transaction =
                  new TransactionTemplate(new DataSourceTransactionManager(database));
              transaction.executeWithoutResult(
                  status -> {
                    new JdbcTemplate(database).update("insert into product values (9000, 'own')");
                    assertThat(products(context).find(9000)).isEqualTo("own");
                    assertThat(guard(context).mightContain(9000L)).isTrue();
                    status.setRollbackOnly();
                  });
              assertThat(products(context).find(9000)).isNull();
              transaction.setReadOnly(true);
              int before = loads.get();
              transaction.executeWithoutResult(
                  status -> assertThat(products(context).find(9001)).isNull());
              assertThat(loads).hasValue(before);
            });
  }

  @Test
  void aTransactionAroundThatOfAnotherDatabase_findsTheRowsThatItHasWritten() {
    DataSource other = new TestApp.Database().dataSource();
    findsTheRowsOfTheOuter(new DataSourceTransactionManager(other));
  }

  @Test
  void aTransactionAroundThatOfAnEntityManager_findsTheRowsThatItHasWritten() {
    DataSource other = new TestApp.Database().dataSource();
    findsTheRowsOfTheOuter(new EntityTransactions(other));
  }

  /** Spring tells of the transaction that began last; the rows are those of the first. */
  private void findsTheRowsOfTheOuter(PlatformTransactionManager ofAnotherDatabase) {
    app()
        .run(
            context -> {
              TestApp.built(context);
              TransactionTemplate writing =
                  new TransactionTemplate(new DataSourceTransactionManager(database));
              TransactionTemplate reading = new TransactionTemplate(ofAnotherDatabase);
              reading.setReadOnly(true);
              writing.executeWithoutResult(
                  outer -> {
                    new JdbcTemplate(database).update("insert into product values (9000, 'own')");
                    reading.executeWithoutResult(
                        inner -> {
                          assertThat(products(context).find(9000)).isEqualTo("own");
                          assertThat(products(context).findReactive(9000).block()).isEqualTo("own");
                        });
                  });
              loads.set(0);
              reading.executeWithoutResult(
                  alone -> assertThat(products(context).find(9001)).isNull());
              assertThat(loads).as("denied").hasValue(0);
            });
  }

  /** Binds what JPA's transactions bind: a holder of their own, and a connection for JDBC. */
  private static final class EntityTransactions extends AbstractPlatformTransactionManager {
    private static final long serialVersionUID = 1;

    private final transient DataSource database;

    EntityTransactions(DataSource database) {
      this.database = database;
    }

    @Override
    protected Object doGetTransaction() {
      return new Object();
    }

    @Override
    protected void doBegin(Object transaction, TransactionDefinition definition) {
      ResourceHolderSupport entities = new ResourceHolderSupport() {};
      entities.setSynchronizedWithTransaction(true);
      TransactionSynchronizationManager.bindResource(this, entities);
      try {
        TransactionSynchronizationManager.bindResource(
            database, new ConnectionHolder(database.getConnection()));
      } catch (SQLException e) {
        throw new CannotCreateTransactionException("no connection", e);
      }
    }

    @Override
    protected void doCommit(DefaultTransactionStatus status) {}

    @Override
    protected void doRollback(DefaultTransactionStatus status) {}

    @Override
    protected void doCleanupAfterCompletion(Object transaction) {
      TransactionSynchronizationManager.unbindResource(this);
      Object lent = TransactionSynchronizationManager.unbindResource(database);
      JdbcUtils.closeConnection(((ConnectionHolder) lent).getConnection());
    }
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
