package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;

/** A connection of a pool as a follower needs it, and as it was when it goes back. */
final class Borrowed implements AutoCloseable {
  /*
   * Each statement shall see what is committed by then, and nothing else. Somebody may have begun a
   * transaction by SQL and given the connection back: it would go on, with the rows of its beginning.
   * A connection that only reads is led to a replica by some drivers and proxies. And one that died
   * without notice must not hold up the follower for ever.
   */
  private static final int NETWORK_MILLIS = 15_000; // Longer than a query may take.

  private final Connection connection;
  private final int networkMillis;
  private final boolean autoCommit;
  private final boolean readOnly;
  private final int isolation;

  static Borrowed from(DataSource pool) throws SQLException {
    Connection connection = pool.getConnection();
    try {
      return new Borrowed(connection);
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  private Borrowed(Connection connection) throws SQLException {
    this.connection = connection;
    this.networkMillis = limit(connection, NETWORK_MILLIS);
    this.autoCommit = connection.getAutoCommit();
    this.readOnly = connection.isReadOnly();
    this.isolation = connection.getTransactionIsolation();
    if (autoCommit) {
      connection.setAutoCommit(false); // Only then can a transaction be rolled back.
    }
    endTransaction(connection);
    connection.setAutoCommit(true);
    requirePrimary(connection);
    if (readOnly) {
      connection.setReadOnly(false);
    }
    if (isolation == Connection.TRANSACTION_READ_UNCOMMITTED) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }
  }

  /**
   * Refuses a standby of PostgreSQL. A look-up asks too, but its rows are of the moment before it
   * asks, and a standby may have become the primary in between. None becomes a standby again.
   */
  private static void requirePrimary(Connection connection) throws SQLException {
    if (Circumstances.isPostgres(product(connection))
        && Circumstances.ask(connection, "select pg_is_in_recovery()").equals("t")) {
      throw Circumstances.standby();
    }
  }

  private static String product(Connection connection) throws SQLException {
    return connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
  }

  /**
   * Ends what somebody has begun. In MySQL somebody may also have chosen an isolation for the next
   * transaction alone, which only the server knows of, and a driver sends no rollback for.
   */
  static void endTransaction(Connection connection) throws SQLException {
    connection.rollback();
    if (Circumstances.isMySql(product(connection))) {
      AllRows.tell(connection, "rollback");
    }
  }

  Connection connection() {
    return connection;
  }

  /** Bounds how long the connection waits. Returns what it was, or -1 if the driver can't. */
  static int limit(Connection connection, int millis) {
    try {
      int before = connection.getNetworkTimeout();
      connection.setNetworkTimeout(Runnable::run, millis);
      return before;
    } catch (SQLException | UnsupportedOperationException e) {
      return -1; // Then the limit of the query must do.
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.isClosed()) {
        giveBack();
      }
    }
  }

  private void giveBack() throws SQLException {
    try {
      if (isolation == Connection.TRANSACTION_READ_UNCOMMITTED) {
        connection.setTransactionIsolation(isolation);
      }
      if (readOnly) {
        connection.setReadOnly(true);
      }
    } finally {
      try {
        connection.setAutoCommit(autoCommit);
      } finally {
        if (networkMillis >= 0) {
          limit(connection, networkMillis);
        }
      }
    }
  }
}
