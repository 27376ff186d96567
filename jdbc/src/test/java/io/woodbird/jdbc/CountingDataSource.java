package io.woodbird.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Gives connections of another source, counts their statements, and fails when it is told to. */
final class CountingDataSource {
  final AtomicLong statements = new AtomicLong();
  volatile boolean isBroken;
  private final DataSource source;

  CountingDataSource(DataSource source) {
    this.source = source;
  }

  DataSource proxy() {
    return (DataSource)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (!method.getName().equals("getConnection")) {
                throw new UnsupportedOperationException(method.toString());
              }
              if (isBroken) {
                throw new SQLException("no connection", "08001");
              }
              return counting(source.getConnection());
            });
  }

  private Connection counting(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, arguments) -> {
              if (method.getName().equals("prepareStatement")) {
                statements.incrementAndGet();
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }
}
