package io.woodbird.jdbc;

import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a look-up asks about the server and its own session. It proves something only if it sees the
 * rows that the application sees, as they are now.
 *
 * @param place where names lead to in this session; empty if that is not known
 * @param doubt an expression that is 0 if a look-up proves something, and else the number of a
 *     {@link Doubt}
 */
record Circumstances(String place, String doubt) {
  /*
   * All this is a part of the statement itself, so that it tells of the session and the moment of the
   * look-up. A connection of a pool may come back with another schema or time zone, and a proxy may
   * lead each statement to another server. The first session of a follower says which place is the
   * right one.
   *
   * Values are compared in hexadecimal digits, which need no quotation in any database.
   */

  /** Why a look-up proves nothing. */
  private enum Doubt {
    STANDBY(1, "the server is a standby, which may not have seen the last commits"),
    OTHER_PLACE(
        2,
        "the connection has another schema, time zone or style of dates than the first one had, or a"
            + " temporary table of the same name; code that changes these must change them back before"
            + " the connection goes back to its pool"),
    OTHER_SERVERS(
        3,
        "the server is one of a cluster, and may not have seen the last commits of the others; let"
            + " reads wait for them: wsrep_sync_wait = 1 in Galera, group_replication_consistency ="
            + " BEFORE in MySQL"),
    PAST(4, "the session reads the past: system_versioning_asof is set"),
    POLICIES(5, "row-level security may hide rows");

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
   * @param isTemporal whether the key is a date or a time
   * @param tables the tables that PostgreSQL reads for it
   * @param showsAll an expression that is true if PostgreSQL hides no rows of it
   */
  record Query(String product, boolean isTemporal, Set<String> tables, String showsAll) {}

  /**
   * Looks at a session.
   *
   * @param first the place of the first session; null if this is the first one
   */
  static Circumstances of(Connection connection, Query query, @Nullable String first)
      throws SQLException {
    String product = query.product();
    StringBuilder cases = new StringBuilder();
    if (isPostgres(product)) {
      addForPostgres(cases, query);
    } else if (isMySql(product)) {
      addForMySql(cases, variables(connection));
    }
    String asked = askPlace(product, query.isTemporal());
    String place = place(connection, product, query.isTemporal(), first);
    if (!asked.isEmpty()) {
      cases.append(Doubt.OTHER_PLACE.when(asked + " <> '" + place + "'"));
    }
    return new Circumstances(place, cases.isEmpty() ? "0" : "case" + cases + " else 0 end");
  }

  static boolean isPostgres(String product) {
    return product.contains("postgresql");
  }

  static boolean isMySql(String product) {
    return product.contains("mysql") || product.contains("mariadb");
  }

  /**
   * Where names lead to in a session.
   *
   * @param first where they must lead to; null if any place will do
   */
  static String place(
      Connection connection, String product, boolean isTemporal, @Nullable String first)
      throws SQLException {
    String asked = askPlace(product, isTemporal);
    String place = asked.isEmpty() ? "" : ask(connection, "select " + asked);
    if (first != null && !first.equals(place)) {
      throw Doubt.OTHER_PLACE.exception();
    }
    return place;
  }

  private static String askPlace(String product, boolean isTemporal) {
    if (isPostgres(product)) {
      return placeInPostgres(isTemporal);
    }
    if (isMySql(product)) {
      return "hex(concat_ws(' ', database()" + (isTemporal ? ", @@time_zone))" : "))");
    }
    return product.equals("h2") ? "rawtohex(current_schema)" : "";
  }

  private static String placeInPostgres(boolean isTemporal) {
    String times =
        isTemporal ? " || current_setting('TimeZone') || current_setting('DateStyle')" : "";
    return "encode(convert_to(current_schemas(false)::text" + times + ", 'UTF8'), 'hex')";
  }

  private static void addForPostgres(StringBuilder cases, Query query) {
    cases.append(Doubt.STANDBY.when("pg_is_in_recovery()"));
    if (!query.tables().isEmpty()) {
      String names =
          query.tables().stream()
              .map(name -> HexFormat.of().formatHex(name.getBytes(StandardCharsets.UTF_8)))
              .map(digits -> "convert_from(decode('" + digits + "', 'hex'), 'UTF8')")
              .collect(Collectors.joining(", "));
      cases.append(
          Doubt.OTHER_PLACE.when(
              "exists (select 1 from pg_class where relnamespace = pg_my_temp_schema() and relname"
                  + " in ("
                  + names
                  + "))"));
    }
    cases.append(Doubt.POLICIES.when("not " + query.showsAll()));
  }

  /** A variable that a server does not know would let the statement fail. */
  static void addForMySql(StringBuilder cases, Map<String, String> variables) {
    // A reader of Aurora shows only the second. Newer ones of MariaDB write ON instead of 1.
    cases.append(
        Doubt.STANDBY.when(
            "concat(@@global.read_only) not in ('0', 'OFF')"
                + " or concat(@@global.innodb_read_only) not in ('0', 'OFF')"));
    if (variables.containsKey("wsrep_sync_wait")) {
      cases.append(
          Doubt.OTHER_SERVERS.when(
              "@@global.wsrep_on = 1 and (@@wsrep_on = 0 or @@wsrep_sync_wait & 1 = 0)"));
    }
    if (!variables.getOrDefault("group_replication_group_name", "").isEmpty()) {
      cases.append(
          Doubt.OTHER_SERVERS.when(
              "@@group_replication_consistency = 'EVENTUAL' or"
                  + " (@@group_replication_single_primary_mode = 0 and"
                  + " @@group_replication_consistency = 'BEFORE_ON_PRIMARY_FAILOVER')"));
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
                "show variables where variable_name in ('wsrep_sync_wait',"
                    + " 'group_replication_group_name', 'system_versioning_asof')")) {
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
