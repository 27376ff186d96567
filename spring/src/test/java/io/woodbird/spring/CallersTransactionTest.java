package io.woodbird.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A caller in a transaction finds the rows that its transaction shows. */
final class CallersTransactionTest extends FollowTests {
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

  /** Spring then tells of no transaction at all; the connection of the first is still held. */
  @Test
  void aTransactionAroundOneThatIsSuspended_findsTheRowsThatItHasWritten() {
    DataSource other = new TestApp.Database().dataSource();
    PlatformTransactionManager second = new DataSourceTransactionManager(other);
    app()
        .run(
            context -> {
              TestApp.built(context);
              TransactionTemplate none = new TransactionTemplate(second);
              none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
              new TransactionTemplate(new DataSourceTransactionManager(database))
                  .executeWithoutResult(
                      outer -> {
                        new JdbcTemplate(database)
                            .update("insert into product values (9000, 'own')");
                        new TransactionTemplate(second)
                            .executeWithoutResult(
                                inner ->
                                    none.executeWithoutResult(
                                        suspended ->
                                            assertThat(products(context).find(9000))
                                                .isEqualTo("own")));
                        outer.setRollbackOnly();
                      });
              loads.set(0);
              none.executeWithoutResult(alone -> assertThat(products(context).find(9001)).isNull());
              assertThat(loads).as("denied").hasValue(0);
            });
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
}
