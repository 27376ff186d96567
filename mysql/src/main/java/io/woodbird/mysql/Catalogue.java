package io.woodbird.mysql;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads what the server knows of a table, and refuses tables whose rows the log does not show. */
final class Catalogue {
  /** Others keep their rows elsewhere, or let others write them. */
  private static final Set<String> ENGINES = Set.of("innodb", "myisam", "aria", "rocksdb");

  private static final Pattern GENERATED = Pattern.compile("virtual|stored|persistent");

  private Catalogue() {}

  static Column column(Connection connection, String schema, String table, String column)
      throws SQLException {
    checkTable(connection, schema, table);
    checkCascades(connection, schema, table, column);
    try (PreparedStatement statement = prepare(connection, "column.sql", schema, table, column);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new IllegalStateException(
            "%s.%s has no column %s that this user may see".formatted(schema, table, column));
      }
      // Not "default_generated", which MySQL says of a default that is an expression.
      if (GENERATED.matcher(text(row, 10)).find()) {
        throw new IllegalStateException(column + " is a generated column, and may change unlogged");
      }
      Column found =
          new Column(
              row.getString(1),
              row.getString(2),
              row.getString(3),
              row.getInt(4) - 1,
              row.getInt(12),
              text(row, 5),
              text(row, 6).contains("unsigned"),
              row.getString(7),
              row.getString(8),
              row.getLong(9),
              row.getInt(11) != 0);
      checkName(found);
      return found;
    }
  }

  private static String text(ResultSet row, int column) throws SQLException {
    @Nullable String value = row.getString(column);
    return value == null ? "" : value.toLowerCase(Locale.ROOT);
  }

  private static PreparedStatement prepare(Connection connection, String file, String... values)
      throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql(file));
    for (int i = 0; i < values.length; i++) {
      statement.setString(i + 1, values[i]);
    }
    return statement;
  }

  private static String sql(String file) {
    try (InputStream in = Objects.requireNonNull(Catalogue.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void checkTable(Connection connection, String schema, String table)
      throws SQLException {
    try (PreparedStatement statement = prepare(connection, "table.sql", schema, table);
        ResultSet row = statement.executeQuery()) {
      if (!row.next()) {
        throw new IllegalStateException(
            "there is no table %s.%s that this user may see".formatted(schema, table));
      }
      String type = text(row, 1);
      String engine = text(row, 2);
      // The log of a system-versioned table has columns that the catalogue does not show.
      if (!type.equals("base table") || !ENGINES.contains(engine)) {
        throw new IllegalStateException(
            "%s.%s is a %s of the engine %s; a follower needs a table of one of %s"
                .formatted(schema, table, type, engine, ENGINES));
      }
      if (engine.equals("myisam")) {
        checkMerges(connection, schema, table);
      }
    }
  }

  /** The log has a row under the name of the table that it was inserted into. */
  private static void checkMerges(Connection connection, String schema, String table)
      throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement(
                "select table_schema, table_name from information_schema.tables"
                    + " where engine = 'MRG_MyISAM'");
        ResultSet row = statement.executeQuery()) {
      if (row.next()) {
        throw new IllegalStateException(
            "rows may come into %s.%s through %s.%s, a table of the engine MERGE, whose name the log"
                    .formatted(schema, table, row.getString(1), row.getString(2))
                + " has; let the table have the engine InnoDB");
      }
    }
  }

  /** A key that changes with another table's is changed by InnoDB itself, and is not in the log. */
  private static void checkCascades(
      Connection connection, String schema, String table, String column) throws SQLException {
    try (PreparedStatement statement = prepare(connection, "cascades.sql", schema, table, column);
        ResultSet row = statement.executeQuery()) {
      if (row.next()) {
        throw new IllegalStateException(
            "%s.%s.%s changes by the foreign key %s, ON UPDATE; such changes are not logged"
                .formatted(schema, table, column, row.getString(1)));
      }
    }
  }

  /** The client reads names in the JVM's own character set. */
  private static void checkName(Column column) {
    boolean isAscii = (column.schema() + column.table()).chars().allMatch(c -> c < 128);
    Charset charset = Charset.defaultCharset();
    if (!isAscii && !charset.equals(StandardCharsets.UTF_8)) {
      throw new IllegalStateException(
          "the name of " + column + " needs -Dfile.encoding=UTF-8; this JVM has " + charset);
    }
  }
}
