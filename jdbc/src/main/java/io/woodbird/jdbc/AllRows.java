package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.TreeSet;

/** Makes sure that PostgreSQL shows every row of a query to this user, as it is now. */
final class AllRows {
  /*
   * A key that a query does not return is absent only if the query hides nothing. Policies of
   * row-level security hide rows, often by a setting that the application makes for each request and
   * that the guard's connection does not have. PostgreSQL itself knows whether a policy would apply,
   * and refuses the query if it is told to. Owners of a table and superusers see all rows, and are not
   * refused. Policies may come later, and a connection of a pool may come back with another role, so
   * each look-up makes sure. Of a table, the look-up itself asks whether a policy applies. Behind a
   * view it can't, as policies apply to the owner of the view: there PostgreSQL is told to refuse, in
   * a transaction of the look-up.
   *
   * A materialized view shows the rows of its last refresh. The planner knows all tables that a query
   * reads, also behind views and in joins.
   */
  private static final String DEMAND = "select set_config('row_security', 'off', true)";

  private static final String HAS_POLICIES =
      "select 1 from pg_settings where name = 'row_security'";

  private static final String TABLES =
      "select c.relname, c.relkind = 'm' from"
          + " jsonb_path_query(?::jsonb, 'strict $.** ? (exists (@.\"Relation Name\"))') node"
          + " join pg_class c on c.relname = node ->> 'Relation Name'"
          + " join pg_namespace s on s.oid = c.relnamespace and s.nspname = node ->> 'Schema'";

  private static final String NOT_ALLOWED = "42501";

  private AllRows() {}

  /** Whether the server knows policies. */
  static boolean hasPolicies(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(HAS_POLICIES)) {
      return found.next();
    }
  }

  /**
   * An expression that is true if a name, as one writes it in a query, leads to a table all of
   * whose rows this user sees.
   */
  static String showsAllOf(String table) {
    return "exists (select 1 from pg_class where oid = to_regclass('"
        + table.replace("'", "''")
        + "') and relkind in ('r', 'p') and not row_security_active(oid))";
  }

  /** Until the transaction ends, lets statements fail from which a policy would hide rows. */
  static void demand(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(DEMAND);
    }
  }

  /** The names of the tables that a query reads. Refuses a materialized view among them. */
  static Set<String> tables(Connection connection, String query) throws SQLException {
    Set<String> names = new TreeSet<>();
    try (PreparedStatement statement = connection.prepareStatement(TABLES)) {
      statement.setString(1, plan(connection, query));
      try (ResultSet found = statement.executeQuery()) {
        while (found.next()) {
          String name = found.getString(1);
          if (found.getBoolean(2)) {
            throw new SQLException(
                name
                    + " is a materialized view, which does not have a row before it is refreshed;"
                    + " name the table itself");
          }
          names.add(name);
        }
      }
    }
    return names;
  }

  private static String plan(Connection connection, String query) throws SQLException {
    return Circumstances.ask(connection, "explain (verbose, format json) " + query);
  }

  /** Whether a statement failed because the user may not see every row. */
  static boolean isRefused(SQLException e) {
    return NOT_ALLOWED.equals(e.getSQLState());
  }

  /** Says which query failed, and what may help. */
  static SQLException explained(String query, SQLException e) {
    String advice =
        isRefused(e)
            ? "; the user must be allowed to read every row: with row-level security, by BYPASSRLS"
            : "";
    return new SQLException(
        "the query failed: " + query + ": " + e.getMessage() + advice, e.getSQLState(), e);
  }
}
