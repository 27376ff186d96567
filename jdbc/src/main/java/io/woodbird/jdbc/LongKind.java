package io.woodbird.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/** Whole numbers. */
final class LongKind implements KeyKind<Long> {
  @Override
  public @Nullable Long read(ResultSet row) throws SQLException {
    long number = row.getLong(1);
    return row.wasNull() ? null : (Long) number;
  }

  /** In text, 9 would be larger than 10. */
  @Override
  public boolean fits(int sqlType, String typeName) {
    return switch (sqlType) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.DECIMAL,
          Types.NUMERIC ->
          true;
      default -> false;
    };
  }

  @Override
  public void bind(PreparedStatement statement, int index, Long key, KeyQuery server)
      throws SQLException {
    statement.setLong(index, key);
  }

  @Override
  public void write(StringBuilder list, Long key, KeyQuery server) {
    list.append(key.longValue());
  }

  /** A column of smaller numbers would refuse the larger ones. */
  @Override
  public String arrayType() {
    return "::bigint[]";
  }

  @Override
  public Search<Long> search() {
    return new NumberSearch();
  }

  @Override
  public String toString() {
    return "whole numbers";
  }
}
