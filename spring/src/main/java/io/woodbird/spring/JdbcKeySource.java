package io.woodbird.spring;

import io.woodbird.guard.KeySource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;

/** The first column of a query, row by row. */
final class JdbcKeySource implements KeySource<Object> {
  private final DataSource dataSource;
  private final String sql;
  private final int fetchSize;
  private final KeyType type;

  JdbcKeySource(DataSource dataSource, String sql, int fetchSize, KeyType type) {
    this.dataSource = dataSource;
    this.sql = sql;
    this.fetchSize = fetchSize;
    this.type = type;
  }

  @Override
  public Stream<Object> open() throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      boolean autoCommit = connection.getAutoCommit();
      boolean readOnly = connection.isReadOnly();
      connection.setReadOnly(true);
      connection.setAutoCommit(false); // Otherwise PostgreSQL reads all rows into memory.
      PreparedStatement statement =
          connection.prepareStatement(sql, ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_READ_ONLY);
      statement.setFetchSize(fetchSize);
      ResultSet rows = statement.executeQuery();
      return StreamSupport.stream(new Rows(rows), false)
          .onClose(() -> close(connection, statement, autoCommit, readOnly));
    } catch (SQLException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  private static void close(
      Connection connection, PreparedStatement statement, boolean autoCommit, boolean readOnly) {
    try (connection) {
      statement.close();
      connection.rollback();
      connection.setAutoCommit(autoCommit);
      connection.setReadOnly(readOnly);
    } catch (SQLException e) {
      throw new IllegalStateException("the query could not be ended", e);
    }
  }

  /** Rows as keys. Ends by an exception if the connection breaks, never by merely ending. */
  private final class Rows extends Spliterators.AbstractSpliterator<Object> {
    private final ResultSet rows;

    Rows(ResultSet rows) {
      super(Long.MAX_VALUE, Spliterator.NONNULL);
      this.rows = rows;
    }

    @Override
    public boolean tryAdvance(Consumer<? super Object> action) {
      Object key;
      try {
        if (!rows.next()) {
          return false;
        }
        key = type.read(rows);
      } catch (SQLException e) {
        throw new IllegalStateException("the query failed: " + sql, e);
      }
      action.accept(key);
      return true;
    }
  }
}
