package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Where a follower gets its connection from. */
interface Connections extends AutoCloseable {
  /** What is done with a connection. */
  @FunctionalInterface
  interface Work<T> {
    T with(Connection connection) throws SQLException;
  }

  /** Does something with a connection that sees what is committed by then, and nothing else. */
  <T> T use(Work<T> work) throws SQLException;

  /** Whether one connection is used again and again, as long as nothing goes wrong. */
  default boolean keeps() {
    return false;
  }

  @Override
  default void close() {}

  /** Takes a connection of the pool each time. */
  static Connections each(DataSource pool) {
    return new Connections() {
      @Override
      public <T> T use(Work<T> work) throws SQLException {
        try (Borrowed borrowed = Borrowed.from(pool)) {
          return work.with(borrowed.connection());
        }
      }
    };
  }
}
