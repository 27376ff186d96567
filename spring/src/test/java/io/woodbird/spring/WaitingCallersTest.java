package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.HikariDataSourcePoolMetadata;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.task.TaskDecorator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionTemplate;
import reactor.core.publisher.Mono;

/**
 * Callers that hold something while they wait for a proof: a connection, a thread, a transaction.
 */
final class WaitingCallersTest {
  private static final ThreadLocal<String> user = new ThreadLocal<>();
  private static final AtomicReference<String> seen = new AtomicReference<>();
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
      seen.set(user.get() + " in " + Thread.currentThread().getName());
      return CompletableFuture.completedFuture(find(id));
    }

    @Guarded("products")
    public Mono<String> findReactive(long id) {
      return Mono.justOrEmpty(find(id));
    }
  }

  private ApplicationContextRunner app() {
    return TestApp.runner(Products.class)
        .withBean(DataSource.class, () -> database)
        .withPropertyValues(
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.fpp=1e-6",
            "woodbird.guards.products.longest-wait=5m");
  }

  private HikariDataSource pool(int connections) {
    HikariConfig config = new HikariConfig();
    config.setDataSource(database);
    config.setMaximumPoolSize(connections);
    return new HikariDataSource(config);
  }

  @Test
  void aPool_keepsAConnectionForProofs_unlessItIsSmallOrToldNotTo() {
    keepsOne(4, "", true);
    keepsOne(3, "", false);
    keepsOne(4, "false", false);
    keepsOne(2, "true", true);
  }

  private void keepsOne(int connections, String setting, boolean expected) {
    DataSourcePoolMetadataProvider known =
        source -> new HikariDataSourcePoolMetadata((HikariDataSource) source);
    TestApp.runner(Products.class)
        .withBean(HikariDataSource.class, () -> pool(connections))
        .withBean(DataSourcePoolMetadataProvider.class, () -> known)
        .withPropertyValues(
            "woodbird.guards.products.source.sql=select id from product",
            "woodbird.guards.products.longest-wait=5m",
            "woodbird.guards.products.source.keep-connection=" + setting)
        .run(
            context -> {
              TestApp.built(context);
              Products products = context.getBean(Products.class);
              assertThat(products.find(5000)).isNull();
              HikariDataSource pool = context.getBean(HikariDataSource.class);
              while (pool.getHikariPoolMXBean().getActiveConnections() != (expected ? 1 : 0)) {
                Thread.onSpinWait(); // The last one may just be going back.
              }
              if (expected) {
                assertThat(askWithAllConnections(products, pool, connections - 1)).isNull();
                assertThat(loads).hasValue(0);
              }
            });
  }

  /** As in transactions that only read. */
  private static String askWithAllConnections(Products products, HikariDataSource pool, int free)
      throws SQLException {
    List<Connection> held = new ArrayList<>();
    for (int i = 0; i < free; i++) {
      held.add(pool.getConnection());
    }
    try {
      return products.find(5001);
    } finally {
      for (Connection connection : held) {
        connection.close();
      }
    }
  }

  /** What a thread knows, such as who is logged in, goes where the method goes on. */
  @Test
  void aFuture_goesOnWithWhatItsThreadHad_andInATransactionInItsThread() {
    TaskDecorator withUser =
        task -> {
          String own = user.get();
          return () -> {
            user.set(own);
            task.run();
          };
        };
    app()
        .withBean(TaskDecorator.class, () -> withUser)
        .run(
            context -> {
              Products products = products(context);
              user.set("crow");
              TestApp.execute(database, "insert into product values (8000, 'far')");
              assertThat(products.findLater(8000).join()).isEqualTo("far");
              String own = Thread.currentThread().getName();
              assertThat(seen.get()).startsWith("crow in ").isNotEqualTo("crow in " + own);
              TestApp.execute(database, "insert into product values (8001, 'near')");
              TransactionTemplate reading =
                  new TransactionTemplate(new DataSourceTransactionManager(database));
              reading.setReadOnly(true);
              String found = reading.execute(status -> products.findLater(8001).join());
              assertThat(found).isEqualTo("near");
              assertThat(seen).hasValue("crow in " + own);
            });
  }

  private static Products products(ApplicationContext context) {
    TestApp.built(context);
    Products products = context.getBean(Products.class);
    assertThat(products.find(-5000)).isNull();
    assertThat(loads).hasValue(0);
    return products;
  }

  @Test
  void aReactiveTransaction_isDeniedNothing_ifItMayHaveWritten() {
    app()
        .run(
            context -> {
              Products products = products(context);
              TransactionalOperator writing = TransactionalOperator.create(new NoTransactions());
              assertThat(products.findReactive(9500).as(writing::transactional).block()).isNull();
              assertThat(loads).hasValue(1);
              DefaultTransactionDefinition definition = new DefaultTransactionDefinition();
              definition.setReadOnly(true);
              TransactionalOperator reading =
                  TransactionalOperator.create(new NoTransactions(), definition);
              assertThat(products.findReactive(9501).as(reading::transactional).block()).isNull();
              assertThat(products.findReactive(9502).block()).isNull();
              assertThat(loads).hasValue(1);
              // Spring tells of the inner one alone.
              Mono<String> inner = products.findReactive(9503).as(reading::transactional);
              assertThat(inner.as(writing::transactional).block()).isNull();
              assertThat(loads).hasValue(2);
            });
  }

  /** Transactions that do nothing. */
  private static final class NoTransactions extends AbstractReactiveTransactionManager {
    private static final long serialVersionUID = 1;

    @Override
    protected Object doGetTransaction(TransactionSynchronizationManager manager) {
      return new Object();
    }

    @Override
    protected Mono<Void> doBegin(
        TransactionSynchronizationManager manager,
        Object transaction,
        TransactionDefinition definition) {
      ResourceHolderSupport held = new ResourceHolderSupport() {};
      held.setSynchronizedWithTransaction(true);
      manager.bindResource(this, held);
      return Mono.empty();
    }

    @Override
    protected Mono<Void> doCleanupAfterCompletion(
        TransactionSynchronizationManager manager, Object transaction) {
      manager.unbindResource(this);
      return Mono.empty();
    }

    @Override
    protected Mono<Void> doCommit(
        TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
      return Mono.empty();
    }

    @Override
    protected Mono<Void> doRollback(
        TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
      return Mono.empty();
    }
  }
}
