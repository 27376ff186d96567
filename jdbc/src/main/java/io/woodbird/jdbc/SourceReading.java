package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection of a pool that reads a long result, and goes back as it was. */
final class SourceReading implements AutoCloseable {
  /*
   * What is read must be all rows that are committed now: a filter that follows a stream of changes
   * relies on it. So a transaction that somebody has left open is ended, the connection is not marked
   * as one that only reads, which some drivers and proxies lead to a replica, and a limit of rows or
   * another schema than that of the first reading is refused.
   */
  private static final String NO_LIMIT = "18446744073709551615";

  private final Connection connection;
  private final boolean autoCommit;
  private final boolean readOnly;
  private @Nullable PreparedStatement statement;

  private SourceReading(Connection connection) throws SQLException {
    this.connection = connection;
    this.autoCommit = connection.getAutoCommit();
    this.readOnly = connection.isReadOnly();
  }

  static SourceReading from(DataSource pool) throws SQLException {
    Connection connection = pool.getConnection();
    try {
      return new SourceReading(connection);
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /**
   * Begins to read.
   *
   * @param place where names lead to, as the first reading found it
   */
  ResultSet begin(String sql, int fetchSize, AtomicReference<@Nullable String> place)
      throws SQLException {
    connection.setAutoCommit(false); // Otherwise PostgreSQL reads all rows into memory.
    connection.rollback();
    if (readOnly) {
      connection.setReadOnly(false);
    }
    String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
    place.set(Circumstances.place(connection, product, false, place.get()));
    if (Circumstances.isPostgres(product) && AllRows.hasPolicies(connection)) {
      AllRows.demand(connection);
    } else if (Circumstances.isMySql(product)) {
      refuseLimit();
    }
    statement =
        connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
    statement.setFetchSize(fetchSize);
    return statement.executeQuery();
  }

  private void refuseLimit() throws SQLException {
    try (Statement asked = connection.createStatement();
        ResultSet row = asked.executeQuery("select @@sql_select_limit")) {
      row.next();
      if (!NO_LIMIT.equals(row.getString(1))) {
        throw new SQLException(
            "the session has sql_select_limit = "
                + row.getString(1)
                + ", so rows would be missing");
      }
    }
  }

  /** Closes it, for a stream. */
  void end() {
    try {
      close();
    } catch (SQLException e) {
      throw new IllegalStateException("the query could not be ended", e);
    }
  }

  @Override
  public void close() throws SQLException {
    try (connection) {
      try {
        if (statement != null) {
          statement.close(); // Some drivers don't end a transaction while rows are being read.
        }
        connection.rollback();
      } finally {
        try {
          connection.setAutoCommit(autoCommit);
        } finally {
          if (readOnly) {
            connection.setReadOnly(true);
          }
        }
      }
    }
  }
}
