package io.woodbird.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

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
   * A transaction with "repeatable read" may have a snapshot in which a table that it waited for is
   * empty, see Circumstances. So a look-up of such a session is a transaction with "read committed":
   * for this transaction alone, because a setting of the session would stay behind on connections
   * that a proxy shares.
   *
   * A materialized view shows the rows of its last refresh. A foreign table shows those of another
   * server, which may be a standby or have policies of its own. The planner knows all tables that a
   * query reads, also behind views and in joins. A view may be made anew at any time, so the look-up
   * of a query that is more than a table asks the planner in its transaction: what the query reads is
   * locked from then on.
   *
   * The planner knows nothing of what a function reads, unless it can write the function's query into
   * its own. It may read such tables too, or another server, as dblink does. Or it waits for a table
   * that is being truncated, when the snapshot of the whole statement is already taken. So rows must
   * not come from a function, except those of PostgreSQL, such as unnest, and those of an extension
   * that read nothing, such as each of hstore; neither behind "from", nor before it. The plan shows
   * how such a function is called. What is called for its arguments counts too, as it may make the
   * rows: unnest(all_ids()). Of two functions with one name the plan does not say which it is, and
   * citext has many names of PostgreSQL's own.
   */
  static final String SEE_COMMITS = "set transaction isolation level read committed";

  static final String HIDE_NOTHING = "select set_config('row_security', 'off', true)";

  private static final String HAS_POLICIES =
      "select 1 from pg_settings where name = 'row_security'";

  private static final String CALLS =
      "concat_ws(' ', node ->> 'Function Call', node ->> 'Table Function Call',"
          + " (select string_agg(shown, ' ') from jsonb_array_elements_text(node -> 'Output') shown))";

  private static final String OLD_ROWS =
      "select coalesce(c.relname, node ->> 'Relations', node ->> 'Function Name', "
          + CALLS
          + "), node ->> 'Node Type' from jsonb_path_query(?::jsonb, 'strict $.** ? (exists (@.\"Node Type\"))') node"
          + " left join (pg_class c join pg_namespace s on s.oid = c.relnamespace)"
          + " on c.relname = node ->> 'Relation Name' and s.nspname = node ->> 'Schema'"
          + " where c.relkind in ('m', 'f') or node ->> 'Node Type' = 'Foreign Scan'"
          + " or (node ->> 'Node Type' in ('ProjectSet', 'Function Scan', 'Table Function Scan')"
          + " and exists (select 1 from pg_proc p where pronamespace <> 'pg_catalog'::regnamespace"
          + " and strpos(' ' || "
          + parted(CALLS)
          + ", ' ' || "
          + parted("quote_ident(proname) || '('")
          + ") > 0 and not (provolatile = 'i' and exists (select 1 from pg_depend where"
          + " classid = 'pg_proc'::regclass and objid = p.oid and deptype = 'e'))))";

  private static final String NOT_ALLOWED = "42501";

  private AllRows() {}

  /** An expression for a text with its words apart: {@code each(} is no part of jsonb_each(. */
  private static String parted(String text) {
    return "regexp_replace(" + text + ", '([^[:alnum:]_$\"])', E' \\\\1 ', 'g')";
  }

  /** Whether the server knows policies. */
  static boolean hasPolicies(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(HAS_POLICIES)) {
      return found.next();
    }
  }

  /**
   * An expression that is true if a name, as one writes it in a query, leads to a table all of
   * whose rows this user sees. A foreign table may become a partition of it, or inherit from it, at
   * any time.
   */
  static String showsAllOf(String table) {
    String named = "to_regclass('" + table.replace("'", "''") + "')";
    return "(exists (select 1 from pg_class where oid = "
        + named
        + " and relkind in ('r', 'p') and not row_security_active(oid)) and not exists (with"
        + " recursive part(id) as (select inhrelid from pg_inherits where inhparent = "
        + named
        + " union all select inhrelid from pg_inherits join part on inhparent = id) select 1 from"
        + " part join pg_class on oid = id where relkind = 'f'))";
  }

  /** Tells the transaction something for the rest of it. */
  static void tell(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Refuses a query that may read rows as they were some time ago, or those of another server. */
  static void refuseOldRows(Connection connection, String query) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(OLD_ROWS)) {
      statement.setString(1, plan(connection, query));
      try (ResultSet found = statement.executeQuery()) {
        if (found.next()) {
          throw new SQLException(found.getString(1) + reason(found.getString(2)));
        }
      }
    }
  }

  private static String reason(String node) {
    return switch (node) {
      case "Foreign Scan" ->
          " is a foreign table, and its server may be a standby or hide rows; look keys up on that"
              + " server";
      case "Function Scan", "Table Function Scan", "ProjectSet" ->
          " is a function, which may read rows of another server or old ones; name the table itself";
      default ->
          " is a materialized view, which does not have a row before it is refreshed; name the table"
              + " itself";
    };
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
