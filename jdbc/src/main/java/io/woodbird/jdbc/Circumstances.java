package io.woodbird.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a look-up asks about the server and its own session. It proves something only if it sees the
 * rows that the application sees, as they are now.
 *
 * @param doubt an expression that is 0 if a look-up proves something, and else the number of a
 *     {@link Doubt}
 */
record Circumstances(String doubt) {
  /*
   * All this is a part of the statement itself, so that it tells of the session and the moment of the
   * look-up. A connection of a pool may come back with another schema or other settings, and a proxy
   * may lead each statement to another server. The first session that reads the query, for a build or
   * for a look-up, says which place is the right one.
   *
   * The place is every setting that changes what the text of a query means: the schema, and in MySQL
   * sql_mode (quotes and ||) and the character set and collation of what the driver sends. If a query
   * is more than a column of a table, or its column is neither text nor a number nor a UUID, it is
   * also how dates, times and strings are read.
   *
   * A temporary table hides another one of its name. Its name must then be one of the words of the
   * query, as a view keeps the tables that it was made with.
   *
   * A transaction of PostgreSQL with "repeatable read" takes its snapshot before it waits for the
   * locks of its tables. If it has to wait for TRUNCATE or for a change that writes the table anew, it
   * then finds no rows at all: neither the old ones nor the new ones.
   *
   * Values are compared in hexadecimal digits, which need no quotation in any database.
   */

  /** Why a look-up proves nothing. */
  private enum Doubt {
    STANDBY(1, "the server is a standby, which may not have seen the last commits"),
    OTHER_PLACE(
        2,
        "the connection is not like the first one: it has another schema, other settings that change"
            + " what the query means, or a temporary table of the same name; code that changes these"
            + " must change them back before the connection goes back to its pool"),
    OTHER_SERVERS(
        3,
        "the server is one of a cluster, and may not have seen the last commits of the others; let"
            + " reads wait for them: wsrep_sync_wait = 1 and wsrep_dirty_reads = 0 in Galera,"
            + " group_replication_consistency ="
            + " BEFORE in MySQL"),
    PAST(4, "the session reads the past: system_versioning_asof is set"),
    POLICIES(5, "row-level security, or a foreign table among the parts of a table, may hide rows"),
    SNAPSHOT(
        6, "the transaction may have a snapshot from before the table was truncated or rewritten");

    private final int number;
    private final String text;

    Doubt(int number, String text) {
      this.number = number;
      this.text = text;
    }

    String when(String condition) {
      return " when " + condition + " then " + number;
    }

    SQLException exception() {
      return new SQLNonTransientConnectionException(text);
    }
  }

  /** Larger than the number of any doubt. */
  static final int NUMBERS = 8;

  static SQLException standby() {
    return Doubt.STANDBY.exception();
  }

  static SQLException failure(int number) {
    for (Doubt doubt : Doubt.values()) {
      if (doubt.number == number) {
        return doubt.exception();
      }
    }
    return new SQLException("a doubt that was not asked for: " + number);
  }

  /**
   * The query of a follower.
   *
   * @param product the database's name in small letters
   * @param isPlain whether it means the same with all settings of dates, times and strings
   * @param words all names that it may use
   * @param showsAll an expression that is true if PostgreSQL hides no rows of it
   */
  record Query(String product, boolean isPlain, Set<String> words, String showsAll) {}

  /**
   * Where names lead to in a session, and how it reads dates, times and strings.
   *
   * @param names in hexadecimal digits; empty if that is not known
   * @param reading the same
   */
  record Place(String names, String reading) {
    /** Whether a query means the same at another place. */
    private boolean isLike(Place other, boolean isPlain) {
      return names.equals(other.names) && (isPlain || reading.equals(other.reading));
    }
  }

  /** Looks at a session, which must be like the first one that read the query. */
  static Circumstances of(
      Connection connection, Query query, AtomicReference<@Nullable Place> first)
      throws SQLException {
    String product = query.product();
    StringBuilder cases = new StringBuilder();
    if (isPostgres(product)) {
      addForPostgres(cases, query);
    } else if (isMySql(product)) {
      addForMySql(cases, variables(connection));
    }
    Place place = requireFirst(connection, product, query.isPlain(), first);
    addPlace(cases, askNames(product), place.names());
    if (!query.isPlain()) {
      addPlace(cases, askReading(product), place.reading());
    }
    return new Circumstances(cases.isEmpty() ? "0" : "case" + cases + " else 0 end");
  }

  private static void addPlace(StringBuilder cases, String asked, String expected) {
    if (!asked.isEmpty()) {
      cases.append(Doubt.OTHER_PLACE.when(asked + " <> '" + expected + "'"));
    }
  }

  static boolean isPostgres(String product) {
    return product.contains("postgresql");
  }

  static boolean isMySql(String product) {
    return product.contains("mysql") || product.contains("mariadb");
  }

  /**
   * Looks at a session, and refuses one that is not like the first.
   *
   * @param isPlain whether a query means the same with all settings of dates, times and strings
   * @param first the place of the first session; set here if this is the first one
   * @return the place of the first session
   */
  static Place requireFirst(
      Connection connection,
      String product,
      boolean isPlain,
      AtomicReference<@Nullable Place> first)
      throws SQLException {
    Place now = place(connection, product);
    if (first.compareAndSet(null, now)) {
      return now;
    }
    Place before = Objects.requireNonNull(first.get());
    if (!before.isLike(now, isPlain)) {
      throw Doubt.OTHER_PLACE.exception();
    }
    return before;
  }

  private static Place place(Connection connection, String product) throws SQLException {
    String names = askNames(product);
    if (names.isEmpty()) {
      return new Place("", "");
    }
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select " + names + ", " + askReading(product))) {
      row.next();
      return new Place(String.valueOf(row.getString(1)), String.valueOf(row.getString(2)));
    }
  }

  private static String askNames(String product) {
    if (isPostgres(product)) {
      return "encode(convert_to(current_schemas(false)::text, 'UTF8'), 'hex')";
    }
    if (isMySql(product)) {
      return "hex(concat_ws(' ', database(), @@sql_mode, @@character_set_client,"
          + " @@collation_connection))";
    }
    return product.equals("h2")
        ? "rawtohex(current_schema || coalesce((select max(state_command) from"
            + " information_schema.session_state where state_key = 'SCHEMA_SEARCH_PATH'), ''))"
        : "";
  }

  private static String askReading(String product) {
    if (isPostgres(product)) {
      return "encode(convert_to(concat_ws(' ', current_setting('TimeZone'),"
          + " current_setting('DateStyle'), current_setting('IntervalStyle'),"
          + " current_setting('standard_conforming_strings')), 'UTF8'), 'hex')";
    }
    if (isMySql(product)) {
      return "hex(@@time_zone)";
    }
    return product.equals("h2")
        ? "rawtohex(coalesce((select max(state_command) from information_schema.session_state"
            + " where state_key = 'TIME ZONE'), ''))"
        : "";
  }

  private static void addForPostgres(StringBuilder cases, Query query) {
    cases.append(Doubt.STANDBY.when("pg_is_in_recovery()"));
    cases.append(
        Doubt.SNAPSHOT.when(
            "current_setting('transaction_isolation') in ('repeatable read', 'serializable')"));
    cases.append(
        Doubt.OTHER_PLACE.when(
            "exists (select 1 from pg_class where relnamespace = pg_my_temp_schema() and relname"
                + " in ("
                + query.words().stream()
                    .map(Circumstances::nameInPostgres)
                    .collect(Collectors.joining(", "))
                + "))"));
    cases.append(Doubt.POLICIES.when("not " + query.showsAll()));
  }

  /** As a name, a word of more than 63 bytes is cut off. */
  private static String nameInPostgres(String word) {
    return "convert_from(decode('"
        + HexFormat.of().formatHex(word.getBytes(UTF_8))
        + "', 'hex'),"
        + " 'UTF8')::name";
  }

  /** A variable that a server does not know would let the statement fail. */
  static void addForMySql(StringBuilder cases, Map<String, String> variables) {
    // Newer servers of MariaDB write ON instead of 1.
    cases.append(Doubt.STANDBY.when("concat(@@global.read_only) not in ('0', 'OFF')"));
    // A reader of Aurora shows this one alone. MariaDB may run without InnoDB, and then lacks it.
    if (!variables.containsKey("read_only") || variables.containsKey("innodb_read_only")) {
      cases.append(Doubt.STANDBY.when("concat(@@global.innodb_read_only) not in ('0', 'OFF')"));
    }
    if (variables.containsKey("wsrep_sync_wait")) {
      cases.append(
          Doubt.OTHER_SERVERS.when(
              "@@global.wsrep_on = 1 and (@@wsrep_on = 0 or @@wsrep_sync_wait & 1 = 0 or"
                  + " @@wsrep_dirty_reads = 1)"));
    }
    if (!variables.getOrDefault("group_replication_group_name", "").isEmpty()) {
      // What a session says of "after" binds its own writes, and not those of others.
      cases.append(
          Doubt.OTHER_SERVERS.when(
              "@@group_replication_consistency = 'EVENTUAL' or"
                  + " (@@group_replication_single_primary_mode = 0 and"
                  + " @@group_replication_consistency not in ('BEFORE', 'BEFORE_AND_AFTER'))"));
    }
    if (variables.containsKey("system_versioning_asof")) {
      cases.append(Doubt.PAST.when("@@system_versioning_asof <> 'DEFAULT'"));
    }
  }

  private static Map<String, String> variables(Connection connection) throws SQLException {
    Map<String, String> found = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "show variables where variable_name in ('read_only', 'innodb_read_only',"
                    + " 'wsrep_sync_wait', 'group_replication_group_name',"
                    + " 'system_versioning_asof')")) {
      while (rows.next()) {
        found.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
      }
    }
    return found;
  }

  static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return String.valueOf(rows.getString(1));
    }
  }
}
