package io.woodbird.postgres;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the messages of PostgreSQL's plugin {@code pgoutput}, version 1 of its protocol. */
final class PgOutput<K> {
  /*
   * A transaction is sent as a whole, when its commit is decoded: Begin, its changes, Commit. Before
   * the first change of a table, and after every change of its definition, comes a Relation with the
   * columns. A value is null ('n'), a text ('t'), or large and the same as before ('u').
   *
   * An update without an old row did not change a column of the replica identity. So if the key is
   * such a column, the filter has it. It also has a large key that is the same as before.
   */
  private static final int NOT_SEEN = -1;

  /** Puts keys of a transaction before all of it was read. */
  interface Early<K> {
    void put(Transaction<K> transaction) throws SQLException;
  }

  private final int table;
  private final String column;
  private final Function<String, ? extends K> parse;
  private final Early<K> early;
  private final Counts counts;
  private int keyIndex = NOT_SEEN;
  private boolean isIdentity;
  private @Nullable Transaction<K> open;

  /**
   * Makes a reader.
   *
   * @param table the number of the table; others are left out
   * @param column the name of the key column
   * @param parse makes a key of a value
   * @param early puts keys of a transaction that has too many
   * @param counts counts what leaves the table
   */
  PgOutput(
      int table,
      String column,
      Function<String, ? extends K> parse,
      Early<K> early,
      Counts counts) {
    this.table = table;
    this.column = column;
    this.parse = parse;
    this.early = early;
    this.counts = counts;
  }

  boolean isInTransaction() {
    return open != null;
  }

  /** Reads one message; gives the transaction that it completes. */
  @Nullable Transaction<K> read(ByteBuffer in) throws SQLException {
    byte type = in.get();
    switch (type) {
      case 'B' -> {
        long commit = in.getLong();
        in.getLong(); // When.
        open = new Transaction<>(in.getInt(), commit);
      }
      case 'C' -> {
        Transaction<K> whole = current();
        in.get(); // Flags.
        in.getLong(); // The position of the commit, known from the beginning.
        whole.end = in.getLong();
        open = null;
        return whole;
      }
      case 'R' -> relation(in);
      case 'I' -> {
        if (in.getInt() == table) {
          in.get(); // A new row follows.
          put(key(in));
        }
      }
      case 'U' -> update(in);
      case 'D' -> {
        if (in.getInt() == table) {
          counts.deleted().increment();
        }
      }
      case 'T' -> truncate(in);
      case 'O', 'Y' -> {} // Where a change came from; the name of a type.
      default -> throw new IllegalStateException("unknown message of pgoutput: " + (char) type);
    }
    return null;
  }

  private Transaction<K> current() {
    Transaction<K> now = open;
    if (now == null) {
      throw new IllegalStateException("a change outside of a transaction");
    }
    return now;
  }

  private void relation(ByteBuffer in) {
    if (in.getInt() != table) {
      return;
    }
    text(in); // The schema.
    text(in); // The table.
    in.get(); // The kind of replica identity.
    int columns = in.getShort();
    keyIndex = NOT_SEEN;
    for (int i = 0; i < columns; i++) {
      boolean identity = (in.get() & 1) != 0;
      if (text(in).equals(column)) {
        keyIndex = i;
        isIdentity = identity;
      }
      in.getLong(); // Type and modifier.
    }
    if (keyIndex == NOT_SEEN) {
      throw new IllegalStateException("the table has no column " + column + " any more");
    }
  }

  private void update(ByteBuffer in) throws SQLException {
    if (in.getInt() != table) {
      return;
    }
    byte kind = in.get();
    if (kind == 'N') {
      if (!isIdentity) {
        put(key(in));
      }
      return;
    }
    String old = key(in);
    in.get(); // The new row follows.
    String now = key(in);
    if (now != null && !now.equals(old)) {
      put(now);
      counts.deleted().add(old == null ? 0 : 1);
    }
  }

  private void truncate(ByteBuffer in) {
    int tables = in.getInt();
    in.get(); // Options.
    for (int i = 0; i < tables; i++) {
      if (in.getInt() == table) {
        counts.truncated().increment();
      }
    }
  }

  /** Reads a row up to its end; gives the key if there is one and it may be new. */
  private @Nullable String key(ByteBuffer in) {
    if (keyIndex == NOT_SEEN) {
      throw new IllegalStateException("a row came before its table's columns");
    }
    int columns = in.getShort();
    String key = null;
    for (int i = 0; i < columns; i++) {
      byte kind = in.get();
      if (kind == 't') {
        int length = in.getInt();
        if (i == keyIndex) {
          byte[] value = new byte[length];
          in.get(value);
          key = new String(value, StandardCharsets.UTF_8);
        } else {
          in.position(in.position() + length);
        }
      } else if (kind != 'n' && kind != 'u') {
        throw new IllegalStateException("unknown kind of value in pgoutput: " + (char) kind);
      }
    }
    if (columns <= keyIndex) {
      throw new IllegalStateException("a row has " + columns + " columns only");
    }
    return key;
  }

  private void put(@Nullable String value) throws SQLException {
    if (value == null) {
      return;
    }
    Transaction<K> into = current();
    if (into.keys.size() == Transaction.MOST_KEYS) {
      early.put(into);
      into.keys.clear();
    }
    into.keys.add(parse.apply(value));
  }

  private static String text(ByteBuffer in) {
    int from = in.position();
    while (in.get() != 0) {}
    byte[] bytes = new byte[in.position() - 1 - from];
    in.get(from, bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
