package io.woodbird.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Whole numbers. */
final class LongKind implements KeyKind<Long> {
  @Override
  public @Nullable Long read(ResultSet row) throws SQLException {
    long number = row.getLong(1);
    return row.wasNull() ? null : (Long) number;
  }

  @Override
  public void bind(PreparedStatement statement, int index, Long key, Server server)
      throws SQLException {
    statement.setLong(index, key);
  }

  @Override
  public Search<Long> search() {
    return new NumberSearch();
  }
}
