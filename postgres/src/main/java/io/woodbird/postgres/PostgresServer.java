package io.woodbird.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/** The ordinary connection to the server. It is opened again after an error. */
final class PostgresServer implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 10;

  /** A new slot waits for all transactions that run, so this is long. */
  private static final int SLOT_SECONDS = 3600;

  private final String url;
  private final Properties login;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile @Nullable Connection connection;
  private volatile boolean closed;

  PostgresServer(String url, Properties login) {
    this.url = url;
    this.login = login;
  }

  /** Something to do on the connection. */
  interface Task<T> {
    T on(Connection connection) throws SQLException;
  }

  /** Does something on the connection, one task at a time. */
  <T> T run(Task<T> task) throws SQLException {
    lock.lock();
    try {
      Connection now = connection;
      if (now == null) {
        now = open();
      }
      try {
        return task.on(now);
      } catch (SQLException e) {
        connection = null;
        abort(now);
        throw e;
      }
    } finally {
      lock.unlock();
    }
  }

  private Connection open() throws SQLException {
    Properties settings = copy();
    PGProperty.SOCKET_TIMEOUT.set(settings, PATIENCE_SECONDS);
    Connection opened = connect(settings);
    connection = opened;
    if (closed) {
      abort(opened);
      throw new SQLException("the follower is closed");
    }
    try (Statement statement = opened.createStatement()) {
      statement.execute("set synchronous_commit = local"); // No standby needs what flush() writes.
    }
    return opened;
  }

  /**
   * Lets the server write its log to disk up to now. What is not there yet is not sent, and a
   * transaction with {@code synchronous_commit = off} commits without it.
   */
  void flush() throws SQLException {
    run(
        now -> {
          try (Statement statement = now.createStatement()) {
            // Transactional: only the end of a transaction with a record of its own writes the log.
            return statement.execute("select pg_logical_emit_message(true, 'woodbird', '')");
          }
        });
  }

  /** Opens a connection for a stream of changes. */
  Connection openStream() throws SQLException {
    Properties settings = copy();
    PGProperty.REPLICATION.set(settings, "database");
    PGProperty.ASSUME_MIN_SERVER_VERSION.set(settings, "9.4");
    PGProperty.PREFER_QUERY_MODE.set(settings, "simple");
    PGProperty.LOGIN_TIMEOUT.set(settings, PATIENCE_SECONDS);
    PGProperty.SOCKET_TIMEOUT.set(settings, SLOT_SECONDS);
    return connect(settings);
  }

  private Properties copy() {
    Properties settings = new Properties();
    // A server may take a stream for a standby by this name, and all programs share the driver's.
    PGProperty.APPLICATION_NAME.set(settings, "woodbird");
    settings.putAll(login);
    PGProperty.CONNECT_TIMEOUT.set(settings, PATIENCE_SECONDS);
    PGProperty.TCP_KEEP_ALIVE.set(settings, true);
    return settings;
  }

  private Connection connect(Properties settings) throws SQLException {
    Connection opened = new Driver().connect(url, settings);
    if (opened == null) {
      throw new IllegalArgumentException("the URL is not one of PostgreSQL");
    }
    return opened;
  }

  /** Ends a connection without waiting for the server. */
  static void abort(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.abort(Runnable::run);
      } catch (SQLException e) {
        // It is of no use any more.
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    abort(connection);
  }
}
