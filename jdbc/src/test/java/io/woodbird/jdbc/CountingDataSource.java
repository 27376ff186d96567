package io.woodbird.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Gives connections of another source, counts what they do, and fails when it is told to. */
final class CountingDataSource {
  final AtomicLong statements = new AtomicLong();
  final AtomicLong boundCharacters = new AtomicLong();
  final AtomicLong rows = new AtomicLong();
  volatile boolean isBroken;
  private final DataSource source;

  CountingDataSource(DataSource source) {
    this.source = source;
  }

  /** A pool of one connection, which is never closed. */
  static DataSource ofOne(Connection connection) {
    Connection unclosed =
        proxy(
            Connection.class,
            (self, method, arguments) ->
                method.getName().equals("close") ? null : invoke(method, connection, arguments));
    return proxy(DataSource.class, (self, method, arguments) -> unclosed);
  }

  DataSource proxy() {
    return proxy(
        DataSource.class,
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
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          Object result = invoke(method, connection, arguments);
          if (result instanceof PreparedStatement statement) {
            statements.incrementAndGet();
            return counting(statement);
          }
          return result;
        });
  }

  private PreparedStatement counting(PreparedStatement statement) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (method.getName().equals("setString")) {
            boundCharacters.addAndGet(((String) arguments[1]).length());
          }
          Object result = invoke(method, statement, arguments);
          return result instanceof ResultSet found ? counting(found) : result;
        });
  }

  private ResultSet counting(ResultSet found) {
    return proxy(
        ResultSet.class,
        (self, method, arguments) -> {
          Object result = invoke(method, found, arguments);
          rows.addAndGet(Boolean.TRUE.equals(result) && method.getName().equals("next") ? 1 : 0);
          return result;
        });
  }

  static Object invoke(Method method, Object target, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            CountingDataSource.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
