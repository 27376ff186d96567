package io.woodbird.jdbc;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** Rows as keys. Ends by an exception if the connection breaks, never by merely ending. */
final class RowKeys<K> extends Spliterators.AbstractSpliterator<K> {
  private final ResultSet rows;
  private final KeyKind<K> kind;
  private final String sql;

  private RowKeys(ResultSet rows, KeyKind<K> kind, String sql) {
    super(Long.MAX_VALUE, Spliterator.NONNULL);
    this.rows = rows;
    this.kind = kind;
    this.sql = sql;
  }

  static <K> Stream<K> stream(ResultSet rows, KeyKind<K> kind, String sql) {
    return StreamSupport.stream(new RowKeys<>(rows, kind, sql), false);
  }

  @Override
  public boolean tryAdvance(Consumer<? super K> action) {
    K key;
    try {
      if (!rows.next()) {
        return false;
      }
      key = kind.read(rows);
      if (key == null) {
        throw new SQLException("a key is null");
      }
    } catch (SQLException e) {
      throw new IllegalStateException("the query failed: " + sql, e);
    }
    action.accept(key);
    return true;
  }
}
