package io.woodbird.jdbc;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** How keys of one type are read from rows, and given to a statement. */
interface KeyKind<K> {
  /** Reads the key in the first column; null if the column is. */
  @Nullable K read(ResultSet row) throws SQLException;

  /** Whether keys can be looked up in a column of this type. */
  boolean fits(int sqlType, String typeName);

  /** Gives a key to a statement, as {@link #parameters} parameters from an index on. */
  void bind(PreparedStatement statement, int index, K key, KeyQuery server) throws SQLException;

  /** Writes a key into an array of PostgreSQL, in each way in which the column may write it. */
  void write(StringBuilder list, K key, KeyQuery server);

  /** The type of such an array; empty if it is that of the column. */
  default String arrayType() {
    return "";
  }

  /** How many parameters a key needs: one for each way in which the column may write it. */
  default int parameters(KeyQuery server) {
    return 1;
  }

  /** Whether the database can be asked about this key at all. */
  default boolean canBeAsked(K key, KeyQuery server) {
    return true;
  }

  /** How many bytes a key adds to a statement, about. */
  default int bytes(K key) {
    return Long.BYTES;
  }

  /**
   * What a key looks like to a database that ignores case, accents or spaces at the end. If two
   * keys are equal for the database and differ in this form, nothing wrong happens, but it takes
   * more statements to find out.
   */
  default Object form(K key) {
    return key;
  }

  /** Whether two keys are equal for the database exactly if they are in Java. */
  default boolean isExact() {
    return true;
  }

  /** Finds out which keys are absent. */
  default Search<K> search() {
    return new ListSearch<>(this);
  }
}
