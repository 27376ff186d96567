package io.woodbird.jdbc;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Types;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** One statement that says which of some keys are in the database. */
final class LookUp<K> {
  /*
   * The statement has up to five parts, so that all of them see the same moment:
   *
   *   select null, 4711 + ? + (a doubt)                                 without it nothing counts
   *   union all select distinct id, 0 from product where id in (?, ?, ...)   keys asked about
   *   union all select distinct id, 1 from product where id > ? and id <= ?         new keys
   *   union all select max(id), 2 from product                                      largest key
   *   union all select min(id), 3 from product                                      smallest key
   *
   * The doubt comes first, because a server may execute one part after the other: a standby that is
   * promoted in between would have read old rows, and then say that it is none.
   *
   * The parameter in the first part is drawn for each statement. It must come back: a proxy that
   * remembers results would else prove with an old one what is no longer true. The first number is the
   * same for the same text. A proxy that lends each transaction another session of the server may
   * execute what somebody else has prepared there under the same name: the same look-up in another
   * table, perhaps. If a doubt is not zero, the session does not see all rows as they are now.
   *
   * There must be exactly one row of the first part and of each of the last two. A proxy that runs the
   * statement on several servers gives one of each server.
   *
   * The last three parts are for numbers only. PostgreSQL takes all keys as one array: one
   * statement for any number of keys, which stays prepared. An array of text has no type, and gets
   * that of the column: as a varchar a key would be compared for citext with case, for char(n)
   * without an index. For other databases the list is filled up to a power of two with the shortest
   * key, so that the database sees few different statements and may keep their plans.
   */
  private static final int LISTED = 0;
  private static final int NEW = 1;
  private static final int LARGEST = 2;
  private static final int SMALLEST = 3;
  private static final int FIRST_DRAWN = Circumstances.NUMBERS;

  /** How the statement begins; a mark of its text follows. */
  static final String BEGIN = "select null, ";

  /** The largest number that is drawn is 8 * 2^27. An int holds it, a doubt and a mark. */
  private static final int MOST_DRAWN = 1 << 27;

  /** The largest mark of a text is less than 8 * 2^26; a doubt is less than 8. */
  private static final int MOST_MARKS = 1 << 26;

  private static final BigDecimal LEAST = BigDecimal.valueOf(Long.MIN_VALUE);
  private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);

  /** Ten times the usual patience of a question: a statement that hangs must end. */
  static final int SECONDS = 10;

  private static final int MOST_STATEMENTS = 12; // A fifth of a second of the pace.

  private final Connection connection;
  private final KeyQuery server;
  private final KeyKind<K> kind;
  private final AtomicReference<@Nullable PreparedStatement> running;
  private int statements;

  LookUp(
      Connection connection,
      KeyQuery server,
      KeyKind<K> kind,
      AtomicReference<@Nullable PreparedStatement> running) {
    this.connection = connection;
    this.server = server;
    this.kind = kind;
    this.running = running;
  }

  /** How many keys one statement takes. */
  int mostKeys() {
    return server.mostKeys() / kind.parameters(server);
  }

  /** How many statements have run. */
  int statements() {
    return statements;
  }

  /** Whether one more statement may run for the same questions. */
  boolean mayGoOn() {
    return statements < MOST_STATEMENTS;
  }

  /** New keys are above the first number and not above the second. */
  record Range(long above, long upTo) {
    boolean contains(long key) {
      return key > above && key <= upTo;
    }
  }

  /** What a statement has returned: rows with keys of the list or in the range, and the bounds. */
  record Rows<K>(Set<K> keys, @Nullable Long smallest, @Nullable Long largest) {}

  Rows<K> run(List<K> keys, @Nullable Range range) throws SQLException {
    statements++;
    if (server.demand().isEmpty()) {
      return execute(keys, range);
    }
    connection.setAutoCommit(false);
    try {
      AllRows.tell(connection, server.demand());
      String reads = server.reads();
      if (reads != null) {
        AllRows.refuseOldRows(connection, reads);
      }
      return execute(keys, range);
    } finally {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  }

  private Rows<K> execute(List<K> keys, @Nullable Range range) throws SQLException {
    String sql = sql(keys.size(), range != null);
    int mark = FIRST_DRAWN * Math.floorMod(sql.hashCode(), MOST_MARKS);
    try (PreparedStatement statement = connection.prepareStatement(BEGIN + mark + sql)) {
      statement.setQueryTimeout(SECONDS);
      int drawn = FIRST_DRAWN * (1 + ThreadLocalRandom.current().nextInt(MOST_DRAWN));
      statement.setInt(1, drawn);
      bind(statement, keys, range);
      running.set(statement);
      try (ResultSet rows = statement.executeQuery()) {
        requireSameType(rows.getMetaData());
        return read(rows, drawn + mark, range != null);
      } finally {
        running.set(null);
      }
    }
  }

  /** If a column of numbers has become text meanwhile, 9 is the largest of 9 and 10. */
  private void requireSameType(ResultSetMetaData columns) throws SQLException {
    if (!server.fits(columns, kind)) {
      throw new SQLException(
          "the column has become one of type " + columns.getColumnTypeName(1) + " meanwhile");
    }
  }

  /** Gives the statement all but its first parameter. */
  void bind(PreparedStatement statement, List<K> keys, @Nullable Range range) throws SQLException {
    int index = 2;
    if (server.takesArrays() && !keys.isEmpty()) {
      statement.setObject(index++, array(keys), Types.OTHER);
    } else {
      int listed = filledUp(keys.size());
      K shortest = listed > keys.size() ? shortest(keys) : null;
      for (int i = 0; i < listed; i++) {
        K key = i < keys.size() ? keys.get(i) : Objects.requireNonNull(shortest);
        kind.bind(statement, index, key, server);
        index += kind.parameters(server);
      }
    }
    if (range != null) {
      statement.setLong(index++, range.above());
      statement.setLong(index, range.upTo());
    }
  }

  private String array(List<K> keys) {
    StringBuilder list = new StringBuilder("{");
    for (K key : keys) {
      kind.write(list, key, server);
      list.append(',');
    }
    list.setCharAt(list.length() - 1, '}');
    return list.toString();
  }

  /** The next power of two. */
  private static int filledUp(int keys) {
    return keys == 0 ? 0 : Integer.highestOneBit(keys * 2 - 1);
  }

  /** Fills the list up. A long key would make a large statement of it. */
  private K shortest(List<K> keys) {
    K found = keys.get(0);
    for (K key : keys) {
      found = kind.bytes(key) < kind.bytes(found) ? key : found;
    }
    return found;
  }

  private Rows<K> read(ResultSet rows, int expected, boolean withRange) throws SQLException {
    Set<K> keys = new HashSet<>();
    Long smallest = null;
    Long largest = null;
    int end = 0;
    int ends = 0;
    int largestRows = 0;
    int smallestRows = 0;
    while (rows.next()) {
      int part = rows.getInt(2);
      if (part >= FIRST_DRAWN) {
        end = part;
        ends++;
        continue;
      }
      switch (part) {
        case LISTED, NEW -> keys.add(Objects.requireNonNull(kind.read(rows), "key"));
        case LARGEST -> {
          largest = bound(rows);
          largestRows++;
        }
        case SMALLEST -> {
          smallest = bound(rows);
          smallestRows++;
        }
        default -> throw new SQLException("a row that was not asked for: " + part);
      }
    }
    if (ends > 1 || largestRows > 1 || smallestRows > 1) {
      throw new SQLNonTransientConnectionException(
          "several servers answered: something between here and them runs a statement on each; look"
              + " keys up on the server that has all rows");
    }
    if (end > expected && end < expected + Circumstances.NUMBERS) {
      throw Circumstances.failure(end - expected);
    }
    int bounds = withRange ? 1 : 0;
    if (end != expected || largestRows != bounds || smallestRows != bounds) {
      throw new SQLNonTransientConnectionException(
          "the result is not that of this statement: something between here and the server keeps"
              + " results, cuts them off, or mixes up prepared statements");
    }
    return new Rows<>(keys, smallest, largest);
  }

  /**
   * The largest or the smallest key; null if the table is empty. A number that a long can't hold is
   * the nearest one that it can. A driver may cut it off instead, as MySQL's does with {@code
   * jdbcCompliantTruncation=false}: 2^64 - 1 becomes -1, and all other keys would be larger.
   */
  private static @Nullable Long bound(ResultSet row) throws SQLException {
    BigDecimal exact = row.getBigDecimal(1);
    return exact == null ? null : (Long) exact.max(LEAST).min(MOST).longValue();
  }

  /** The statement behind {@link #BEGIN} and a mark. */
  String sql(int keys, boolean withRange) {
    String column = server.column();
    String from = " from " + server.from();
    StringBuilder sql = new StringBuilder(" + ? + ");
    sql.append(server.circumstances().doubt())
        .append(" union all select distinct ")
        .append(column)
        .append(", ")
        .append(LISTED)
        .append(from)
        .append(" where ");
    if (keys == 0) {
      sql.append("1 = 0"); // Sees whether the table is there.
    } else if (server.takesArrays()) {
      sql.append(column).append(" = any (?").append(kind.arrayType()).append(")");
    } else {
      int listed = filledUp(keys) * kind.parameters(server);
      sql.append(column).append(" in (?").append(", ?".repeat(listed - 1)).append(")");
    }
    if (withRange) {
      sql.append(" union all select distinct ").append(column).append(", ").append(NEW);
      sql.append(from);
      sql.append(" where ").append(column).append(" > ? and ").append(column).append(" <= ?");
      sql.append(" union all select max(")
          .append(column)
          .append("), ")
          .append(LARGEST)
          .append(from);
      sql.append(" union all select min(").append(column).append("), ").append(SMALLEST);
      sql.append(from);
    }
    return sql.toString();
  }
}
