package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What must be known of a database to ask it about the keys of a query.
 *
 * @param from what stands after "from": the table, or the query in brackets
 * @param column the key in it
 * @param takesArrays whether an array of no type takes the type of the column
 * @param columnIsText whether the column holds text
 * @param writing how text must be written that the column can be compared with; null if it may be
 *     any
 * @param isTable whether the query is all rows of a table, so that bounds are found in its index
 * @param mostKeys how many parameters a statement may have
 * @param mustDemand whether PostgreSQL must be told to hide no rows, before each statement
 * @param circumstances what each statement asks about its own session
 */
record KeyQuery(
    String from,
    String column,
    boolean takesArrays,
    boolean columnIsText,
    @Nullable Pattern writing,
    boolean isTable,
    int mostKeys,
    boolean mustDemand,
    Circumstances circumstances) {
  private static final String NAME = "([\\w.$\"`]+)";
  private static final Pattern SIMPLE =
      Pattern.compile(
          "\\s*select\\s+" + NAME + "\\s+from\\s+" + NAME + "\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}");
  private static final int MANY = 10_000;

  /**
   * Looks at the query over a connection.
   *
   * @param place where names must lead to; null if this is the first connection of a follower
   */
  static KeyQuery of(Connection connection, String query, KeyKind<?> kind, @Nullable String place)
      throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    String product = about.getDatabaseProductName().toLowerCase(Locale.ROOT);
    boolean isPostgres = Circumstances.isPostgres(product);
    if (isPostgres) {
      connection.setAutoCommit(false);
    }
    try {
      boolean hasPolicies = isPostgres && AllRows.hasPolicies(connection);
      if (hasPolicies) {
        AllRows.demand(connection);
      }
      String sql = query.strip().replaceFirst("[;\\s]+$", "");
      Set<String> tables = isPostgres ? AllRows.tables(connection, sql) : Set.of();
      return of(connection, sql, kind, place, product, tables, hasPolicies);
    } catch (SQLException e) {
      throw AllRows.explained(query, e);
    } finally {
      if (isPostgres) {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
  }

  private static KeyQuery of(
      Connection connection,
      String sql,
      KeyKind<?> kind,
      @Nullable String place,
      String product,
      Set<String> tables,
      boolean hasPolicies)
      throws SQLException {
    String derived = "(" + sql + "\n) woodbird_keys"; // The query may end with a comment.
    DatabaseMetaData about = connection.getMetaData();
    try (PreparedStatement none =
            connection.prepareStatement("select * from " + derived + " where 1 = 0");
        ResultSet rows = limited(none).executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      if (!kind.fits(columns.getColumnType(1), columns.getColumnTypeName(1))) {
        throw new SQLException(
            "keys of a column of type "
                + columns.getColumnTypeName(1)
                + " can't be looked up as "
                + kind
                + "; choose the kind of key that the column has");
      }
      Matcher simple = SIMPLE.matcher(sql);
      boolean isSimple = simple.matches();
      String showsAll = hasPolicies ? "current_setting('row_security') = 'off'" : "true";
      boolean isSure = !hasPolicies;
      if (hasPolicies && isSimple) {
        String itself = AllRows.showsAllOf(simple.group(2));
        isSure = Circumstances.ask(connection, "select " + itself).equals("t");
        showsAll = isSure ? itself : showsAll;
      }
      return new KeyQuery(
          // Not every planner finds the largest key of a derived table in the table's index.
          isSimple ? simple.group(2) : derived,
          isSimple ? simple.group(1) : quoted(columns.getColumnLabel(1), about),
          Circumstances.isPostgres(product),
          isText(columns.getColumnType(1)),
          writing(columns.getColumnType(1), columns.getColumnTypeName(1)),
          isSimple,
          mostKeys(product),
          !isSure,
          Circumstances.of(
              connection,
              new Circumstances.Query(
                  product, isTemporal(columns.getColumnType(1)), tables, showsAll),
              place));
    }
  }

  private static String quoted(String name, DatabaseMetaData about) throws SQLException {
    String quote = about.getIdentifierQuoteString().strip();
    return quote + name.replace(quote, quote + quote) + quote;
  }

  private static PreparedStatement limited(PreparedStatement statement) throws SQLException {
    statement.setQueryTimeout(LookUp.SECONDS);
    return statement;
  }

  /**
   * Whether a column of this type surely takes some text. It may take other text too: such a key is
   * not looked up with others, as it might spoil the statement.
   */
  boolean isWritten(String key) {
    return writing == null || writing.matcher(key).matches();
  }

  private static @Nullable Pattern writing(int type, String typeName) {
    return switch (type) {
      case Types.TINYINT -> Pattern.compile("-?\\d{1,2}");
      case Types.SMALLINT -> Pattern.compile("-?\\d{1,4}");
      case Types.INTEGER -> Pattern.compile("-?\\d{1,9}");
      case Types.BIGINT -> Pattern.compile("-?\\d{1,18}");
      case Types.NUMERIC, Types.DECIMAL -> Pattern.compile("-?\\d{1,30}(\\.\\d{1,30})?");
      default -> typeName.equalsIgnoreCase("uuid") ? UUID : null;
    };
  }

  static boolean isText(int type) {
    return switch (type) {
      case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.NCHAR, Types.NVARCHAR -> true;
      default -> false;
    };
  }

  private static boolean isTemporal(int type) {
    return switch (type) {
      case Types.DATE,
          Types.TIME,
          Types.TIMESTAMP,
          Types.TIME_WITH_TIMEZONE,
          Types.TIMESTAMP_WITH_TIMEZONE ->
          true;
      default -> false;
    };
  }

  /** Oracle takes 1,000 in a list, SQL Server 2,100 in a statement, PostgreSQL 32,767 and more. */
  private static int mostKeys(String product) {
    if (product.contains("oracle")) {
      return 1_000;
    }
    return product.contains("microsoft") ? 2_000 : MANY;
  }
}
