package io.woodbird.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** A question that hangs while the follower is closed. */
final class MySqlServerTest {
  private final CountDownLatch asked = new CountDownLatch(1);
  private final CompletableFuture<Thread> aborted = new CompletableFuture<>();
  private final AtomicBoolean givenBack = new AtomicBoolean();

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            MySqlServerTest.class.getClassLoader(), new Class<?>[] {type}, handler));
  }

  /** Nothing is answered until the connection is aborted. */
  private DataSource hanging() {
    Statement statement =
        proxy(
            Statement.class,
            (self, method, arguments) -> {
              if (method.getName().equals("executeQuery")) {
                asked.countDown();
                aborted.join();
                throw new SQLException("aborted");
              }
              return null;
            });
    Connection connection =
        proxy(
            Connection.class,
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getNetworkTimeout" -> 0;
                  case "getAutoCommit", "isClosed" -> true;
                  case "createStatement" -> statement;
                  case "abort" -> {
                    aborted.complete(Thread.currentThread());
                    yield null;
                  }
                  case "close" -> {
                    givenBack.set(true);
                    yield null;
                  }
                  default -> null;
                });
    return proxy(DataSource.class, (self, method, arguments) -> connection);
  }

  /** MariaDB's driver connects to abort a connection, and waits 30 s for a frozen server. */
  @Test
  void isEnded_andNobodyWaitsForThat() throws Exception {
    MySqlServer server = new MySqlServer(hanging());
    CompletableFuture<Throwable> failure = new CompletableFuture<>();
    Thread asking =
        new Thread(
            () -> {
              try {
                server.now();
              } catch (SQLException | RuntimeException e) {
                failure.complete(e);
              }
            });
    asking.start();
    asked.await();
    server.close();
    assertThat(aborted.get()).isNotSameAs(Thread.currentThread());
    asking.join();
    assertThat(failure.get()).hasMessageContaining("aborted");
    assertThat(givenBack).isTrue();
  }
}
