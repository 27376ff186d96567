package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What must be known of a database to ask it about the keys of a query.
 *
 * @param from what stands after "from": the table, or the query in brackets
 * @param column the key in it
 * @param takesArrays whether an array of no type takes the type of the column
 * @param columnIsText whether the column holds text
 * @param columnIsPlain whether its values are written in the same way in every session
 * @param writing how text must be written that the column can be compared with; null if it may be
 *     any
 * @param isTable whether the query is all rows of a table or view, so that bounds are found in its
 *     index
 * @param isWholeTable whether it is surely all rows of a table and of no view, as far as
 *     PostgreSQL, MySQL and MariaDB tell
 * @param mostKeys how many parameters a statement may have
 * @param demand what PostgreSQL must be told in the transaction of each statement; empty if a
 *     statement may be a transaction of its own
 * @param reads the query if its tables must be looked at with each statement; null for a table
 * @param circumstances what each statement asks about its own session
 */
record KeyQuery(
    String from,
    String column,
    boolean takesArrays,
    boolean columnIsText,
    boolean columnIsPlain,
    @Nullable Pattern writing,
    boolean isTable,
    boolean isWholeTable,
    int mostKeys,
    String demand,
    @Nullable String reads,
    Circumstances circumstances) {
  private static final String NAME = "([\\w.$\"`]+)";
  private static final Pattern SIMPLE =
      Pattern.compile(
          "\\s*select\\s+" + NAME + "\\s+from\\s+" + NAME + "\\s*", Pattern.CASE_INSENSITIVE);
  private static final Pattern UUID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{32}");
  private static final Pattern WORD = Pattern.compile("[\\p{L}_][\\p{L}\\p{N}_$]*");
  private static final Pattern QUOTED = Pattern.compile("\"((?:[^\"]|\"\")+)\"");
  private static final Pattern H2_VERSION = Pattern.compile("(\\d{1,9})\\.(\\d{1,9})\\.(\\d{1,9})");
  private static final int MANY = 10_000;

  /**
   * Looks at the query over a connection.
   *
   * @param first the place of the first session that read the query
   */
  static KeyQuery of(
      Connection connection,
      String query,
      KeyKind<?> kind,
      AtomicReference<Circumstances.@Nullable Place> first)
      throws SQLException {
    DatabaseMetaData about = connection.getMetaData();
    String product = about.getDatabaseProductName().toLowerCase(Locale.ROOT);
    boolean isPostgres = Circumstances.isPostgres(product);
    if (product.equals("h2")) {
      refuseOldH2(about);
    }
    if (isPostgres) {
      connection.setAutoCommit(false);
    }
    try {
      String sql = query.strip().replaceFirst("[;\\s]+$", "");
      boolean seesCommits = true;
      if (isPostgres) {
        int isolation = connection.getTransactionIsolation();
        seesCommits = isolation < Connection.TRANSACTION_REPEATABLE_READ;
        AllRows.tell(connection, AllRows.SEE_COMMITS);
        AllRows.tell(connection, AllRows.HIDE_NOTHING);
        AllRows.refuseOldRows(connection, sql);
      }
      return of(connection, sql, kind, first, product, seesCommits);
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
      AtomicReference<Circumstances.@Nullable Place> first,
      String product,
      boolean seesCommits)
      throws SQLException {
    String derived = "(" + sql + "\n) woodbird_keys"; // The query may end with a comment.
    DatabaseMetaData about = connection.getMetaData();
    try (PreparedStatement none =
            connection.prepareStatement("select * from " + derived + " where 1 = 0");
        ResultSet rows = limited(none).executeQuery()) {
      ResultSetMetaData columns = rows.getMetaData();
      int type = columns.getColumnType(1);
      String typeName = columns.getColumnTypeName(1);
      if (!kind.fits(type, typeName)) {
        throw new SQLException(
            "keys of a column of type "
                + typeName
                + " can't be looked up as "
                + kind
                + "; choose the kind of key that the column has");
      }
      Matcher simple = SIMPLE.matcher(sql);
      boolean isSimple = simple.matches();
      boolean isPostgres = Circumstances.isPostgres(product);
      String showsAll = "current_setting('row_security') = 'off'";
      boolean isSure = !isPostgres;
      if (isPostgres && isSimple) {
        String itself = AllRows.showsAllOf(simple.group(2));
        isSure = Circumstances.ask(connection, "select " + itself).equals("t");
        showsAll = isSure ? itself : showsAll;
      }
      String demand = isSure && seesCommits ? "" : AllRows.SEE_COMMITS;
      boolean isView = false;
      if (isSimple && Circumstances.isMySql(product)) {
        isView = isView(connection, simple.group(2));
        refuseText(connection, simple.group(1));
      }
      return new KeyQuery(
          // Not every planner finds the largest key of a derived table in the table's index.
          isSimple ? simple.group(2) : derived,
          isSimple ? simple.group(1) : quoted(columns.getColumnLabel(1), about),
          isPostgres,
          isText(type),
          isPlain(type, typeName),
          writing(type, typeName),
          isSimple,
          isSimple && isSure && !isView,
          mostKeys(product),
          isSure ? demand : demand + "; " + AllRows.HIDE_NOTHING,
          isSure ? null : sql,
          Circumstances.of(
              connection,
              new Circumstances.Query(
                  product, isSimple && isPlain(type, typeName), words(sql), showsAll),
              first));
    }
  }

  /**
   * H2 up to 2.3.230 marks a table as changed before the change can be seen. If a statement comes
   * in between, the server keeps the old result, and gives it to later statements too.
   */
  private static void refuseOldH2(DatabaseMetaData about) throws SQLException {
    Matcher version = H2_VERSION.matcher(about.getDatabaseProductVersion());
    if (version.lookingAt()
        && Arrays.compare(
                Stream.of(1, 2, 3).mapToInt(i -> Integer.parseInt(version.group(i))).toArray(),
                new int[] {2, 3, 232})
            < 0) {
      throw new SQLException(
          "H2 "
              + about.getDatabaseProductVersion()
              + " may keep an old result after a commit; 2.3.232 and later don't");
    }
  }

  /** In MySQL a name in such quotes is usually a text: each row would have the same key. */
  private static void refuseText(Connection connection, String column) throws SQLException {
    if (column.contains("\"")
        && !Circumstances.ask(connection, "select @@sql_mode").contains("ANSI_QUOTES")) {
      throw new SQLException(column + " is a text for this server, and no column; use `...`");
    }
  }

  /** Whether a name leads to a view in MySQL or MariaDB, or to something that is not known. */
  private static boolean isView(Connection connection, String name) throws SQLException {
    String[] parts = name.replaceAll("[`\"]", "").split("\\.", -1);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "select 1 from information_schema.tables where table_type = 'BASE TABLE'"
                + " and table_name = ? and table_schema = "
                + (parts.length > 1 ? "?" : "database()"))) {
      statement.setString(1, parts[parts.length - 1]);
      if (parts.length > 1) {
        statement.setString(2, parts[0]);
      }
      try (ResultSet found = statement.executeQuery()) {
        return !found.next();
      }
    }
  }

  /** All names that a query may use, as they are stored, and other words. */
  private static Set<String> words(String sql) {
    return Stream.concat(
            WORD.matcher(sql).results().map(MatchResult::group),
            QUOTED.matcher(sql).results().map(name -> name.group(1).replace("\"\"", "\"")))
        .flatMap(name -> Stream.of(name, name.toLowerCase(Locale.ROOT)))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Whether a query is all rows of one table. */
  static boolean isSimple(String sql) {
    return SIMPLE.matcher(sql.strip().replaceFirst("[;\\s]+$", "")).matches();
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

  /** Whether values of a type are written in the same way in every session. */
  private static boolean isPlain(int type, String typeName) {
    return switch (type) {
      case Types.TINYINT,
          Types.SMALLINT,
          Types.INTEGER,
          Types.BIGINT,
          Types.NUMERIC,
          Types.DECIMAL ->
          true;
      default -> isText(type) || typeName.equalsIgnoreCase("uuid");
    };
  }

  /** Whether what is known of the column still holds for the rows of a look-up. */
  boolean fits(ResultSetMetaData rows, KeyKind<?> kind) throws SQLException {
    int type = rows.getColumnType(1);
    String typeName = rows.getColumnTypeName(1);
    return kind.fits(type, typeName)
        && isText(type) == columnIsText
        && (isPlain(type, typeName) || !columnIsPlain);
  }

  /** SQL Server takes 2,100 in a statement, PostgreSQL 32,767 and more. */
  private static int mostKeys(String product) {
    return product.contains("microsoft") ? 2_000 : MANY;
  }
}
