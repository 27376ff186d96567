package io.woodbird.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.guard.Follower;
import io.woodbird.key.Keys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A look-up that runs while its follower is closed. */
final class CancelTest {
  private final Database database = Database.h2("cancel");
  private final CountDownLatch runs = new CountDownLatch(1);
  private final CompletableFuture<Thread> cancelled = new CompletableFuture<>();

  /** Look-ups run until they are cancelled. */
  private DataSource hanging() {
    return CountingDataSource.proxy(
        DataSource.class,
        (self, method, arguments) -> {
          Connection connection = database.source().getConnection();
          return CountingDataSource.proxy(
              Connection.class,
              (same, called, given) -> {
                Object result = CountingDataSource.invoke(called, connection, given);
                return result instanceof PreparedStatement statement
                        && ((String) given[0]).contains("union all")
                    ? hanging(statement)
                    : result;
              });
        });
  }

  private PreparedStatement hanging(PreparedStatement statement) {
    return CountingDataSource.proxy(
        PreparedStatement.class,
        (self, method, arguments) ->
            switch (method.getName()) {
              case "executeQuery" -> {
                runs.countDown();
                cancelled.join();
                throw new SQLException("cancelled", "57014");
              }
              case "cancel" -> {
                cancelled.complete(Thread.currentThread());
                yield null;
              }
              default -> CountingDataSource.invoke(method, statement, arguments);
            });
  }

  /** A driver connects to cancel a statement: that of MariaDB waits 30 s for a frozen server. */
  @Test
  void isCancelled_andNobodyWaitsForThat() throws Exception {
    database.run("create table product (id bigint primary key)");
    Follower<Long> follower = JdbcKeys.longs(hanging(), "select id from product").follower();
    follower.begin(Woodbird.bloom(Keys.longs(), 100).build());
    CompletableFuture<Void> question =
        CompletableFuture.runAsync(
            () -> {
              try {
                follower.confirm(List.of(7L));
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    runs.await();
    follower.close();
    assertThat(cancelled.get()).isNotSameAs(Thread.currentThread());
    assertThat(question.handle((nothing, failure) -> failure).get())
        .hasRootCauseMessage("cancelled");
    database.run("shutdown");
  }
}
