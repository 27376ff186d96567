package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;

/** Makes sure that PostgreSQL shows every row of a query to this user, as it is now. */
final class AllRows {
  /*
   * A key that a query does not return is absent only if the query hides nothing. Policies of
   * row-level security hide rows, often by a setting that the application makes for each request and
   * that the guard's connection does not have. PostgreSQL itself knows whether a policy would apply,
   * and refuses the query if it is told to. Owners of a table and superusers see all rows, and are not
   * refused. A materialized view shows the rows of its last refresh.
   */
  private static final String DEMAND =
      "select set_config(name, 'off', true) from pg_settings where name = 'row_security'";

  private static final String COPY =
      "select 1 from pg_class where oid = to_regclass(?) and relkind = 'm'";

  private static final String NOT_ALLOWED = "42501";

  private AllRows() {}

  static boolean isPostgres(DatabaseMetaData about) throws SQLException {
    return about.getDatabaseProductName().toLowerCase(Locale.ROOT).contains("postgresql");
  }

  /** Until the transaction ends, lets statements fail from which a policy would hide rows. */
  static void demand(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(DEMAND)) {
      statement.execute();
    }
  }

  /** Refuses a materialized view, by a name as one writes it in a query. */
  static void refuseCopy(Connection connection, String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(COPY)) {
      statement.setString(1, table);
      try (ResultSet found = statement.executeQuery()) {
        if (found.next()) {
          throw new SQLException(
              table
                  + " is a materialized view, which does not have a row before it is refreshed; name"
                  + " the table itself");
        }
      }
    }
  }

  /** Says which query failed, and what may help. */
  static SQLException explained(String query, SQLException e) {
    String advice =
        NOT_ALLOWED.equals(e.getSQLState())
            ? "; the user must be allowed to read every row: with row-level security, by BYPASSRLS"
            : "";
    return new SQLException(
        "the query failed: " + query + ": " + e.getMessage() + advice, e.getSQLState(), e);
  }
}
