package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A connection of a pool that reads a long result, and goes back as it was. */
final class Reading implements AutoCloseable {
  private final Connection connection;
  private final boolean autoCommit;
  private final boolean readOnly;
  private @Nullable PreparedStatement statement;

  private Reading(Connection connection) throws SQLException {
    this.connection = connection;
    this.autoCommit = connection.getAutoCommit();
    this.readOnly = connection.isReadOnly();
  }

  static Reading from(DataSource pool) throws SQLException {
    Connection connection = pool.getConnection();
    try {
      return new Reading(connection);
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  ResultSet begin(String sql, int fetchSize) throws SQLException {
    connection.setReadOnly(true);
    connection.setAutoCommit(false); // Otherwise PostgreSQL reads all rows into memory.
    if (AllRows.isPostgres(connection.getMetaData())) {
      AllRows.demand(connection);
    }
    statement =
        connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
    statement.setFetchSize(fetchSize);
    return statement.executeQuery();
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
          connection.setReadOnly(readOnly);
        }
      }
    }
  }
}
