package io.woodbird.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;

/** A pool of some connections: who wants one more waits. */
final class SmallPool {
  final Semaphore free;
  private final DataSource source;

  SmallPool(DataSource source, int connections) {
    this.source = source;
    this.free = new Semaphore(connections, true);
  }

  DataSource proxy() {
    return (DataSource)
        Proxy.newProxyInstance(
            SmallPool.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) ->
                switch (method.getName()) {
                  case "getConnection" -> take();
                  case "hashCode" -> System.identityHashCode(self);
                  case "equals" -> self == arguments[0];
                  default -> throw new SQLException("not offered: " + method);
                });
  }

  private Connection take() throws SQLException {
    free.acquireUninterruptibly();
    Connection connection = source.getConnection();
    AtomicBoolean isClosed = new AtomicBoolean();
    return (Connection)
        Proxy.newProxyInstance(
            SmallPool.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("close") && !isClosed.getAndSet(true)) {
                free.release();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
