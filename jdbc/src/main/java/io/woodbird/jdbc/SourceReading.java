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
   * another schema than that of the first reading is refused. In PostgreSQL each statement sees what
   * is committed when it begins to read, see AllRows.
   *
   * Most drivers wait for a server as long as it takes, and no interrupt ends that. A server that
   * vanished without a word would hold up this build, and with it all later ones, for good.
   */
  private static final String NO_LIMIT = "18446744073709551615";
  private static final int NETWORK_MILLIS = 3_600_000;

  private final Connection connection;
  private final boolean autoCommit;
  private final boolean readOnly;
  private final boolean isLimited;
  private @Nullable PreparedStatement statement;

  private SourceReading(Connection connection) throws SQLException {
    this.connection = connection;
    this.autoCommit = connection.getAutoCommit();
    this.readOnly = connection.isReadOnly();
    int own = Borrowed.limit(connection, NETWORK_MILLIS);
    if (own > 0) {
      Borrowed.limit(connection, own); // The application knows better.
    }
    this.isLimited = own == 0;
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
   * @param first the place of the first session that read the query
   * @param whole refuses anything but a whole table of the primary; null if others will do
   */
  ResultSet begin(
      String sql,
      int fetchSize,
      AtomicReference<Circumstances.@Nullable Place> first,
      @Nullable KeyKind<?> whole)
      throws SQLException {
    connection.setAutoCommit(false); // Otherwise PostgreSQL reads all rows into memory.
    Borrowed.endTransaction(connection);
    if (readOnly) {
      connection.setReadOnly(false);
    }
    KeyQuery table = null;
    if (whole != null) {
      table = KeyQuery.of(connection, sql, whole, first);
      connection.setAutoCommit(false);
      connection.rollback(); // So that the rows are those of after this look.
    }
    String product = connection.getMetaData().getDatabaseProductName().toLowerCase(Locale.ROOT);
    boolean isPostgres = Circumstances.isPostgres(product);
    if (isPostgres) {
      AllRows.tell(connection, AllRows.SEE_COMMITS);
    }
    Circumstances.requireFirst(connection, product, KeyQuery.isSimple(sql), first);
    if (isPostgres && AllRows.hasPolicies(connection)) {
      AllRows.tell(connection, AllRows.HIDE_NOTHING);
    } else if (Circumstances.isMySql(product)) {
      refuseLimit();
    }
    if (table != null) {
      requireWhole(table, sql);
    }
    statement =
        connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
    statement.setFetchSize(fetchSize);
    return statement.executeQuery();
  }

  private void requireWhole(KeyQuery table, String sql) throws SQLException {
    if (!table.isWholeTable()) {
      throw new SQLException(
          "the query reads a view: a row that it shows only later is not among the changes of a"
              + " table: "
              + sql);
    }
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new SQLException("the session sees what is not committed: a row may come back");
    }
    String doubt = Circumstances.ask(connection, "select " + table.circumstances().doubt());
    if (!doubt.equals("0")) {
      throw Circumstances.failure(Integer.parseInt(doubt));
    }
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
          if (isLimited) {
            Borrowed.limit(connection, 0);
          }
          if (readOnly) {
            connection.setReadOnly(true);
          }
        }
      }
    }
  }
}
