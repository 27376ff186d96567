package io.woodbird.mysql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** Which settings a server needs so that its binary log shows every row. */
final class ServerSettings {
  private ServerSettings() {}

  /**
   * Refuses settings, with what to set instead.
   *
   * @param variables of the server, and how many threads apply what other servers of MariaDB send
   */
  static void check(Map<String, String> variables, boolean isMariaDb) {
    require(variables, "log_bin", "ON");
    require(variables, "binlog_format", "ROW");
    if (isMariaDb) {
      require(variables, "log_bin_compress", "OFF");
      require(variables, "encrypt_binlog", "OFF");
      require(variables, "wsrep_on", "OFF");
      require(variables, "innodb_read_only", "OFF");
      if (!variables.getOrDefault("slaves_running", "0").equals("0")) {
        require(variables, "log_slave_updates", "ON");
      }
      return;
    }
    if (variables.containsKey("daemon_memcached_option")) {
      require(variables, "innodb_api_enable_binlog", "ON"); // Else such rows are not in the log.
    }
    require(variables, "gtid_mode", "ON");
    require(variables, "binlog_transaction_compression", "OFF");
    require(variables, "binlog_row_value_options", "");
    if (variables.getOrDefault("binlog_error_action", "").equalsIgnoreCase("IGNORE_ERROR")) {
      throw new IllegalStateException(
          "the server has binlog_error_action=IGNORE_ERROR, so it goes on without its log after an"
              + " error; a follower needs ABORT_SERVER");
    }
    // Clusters made of MySQL have wsrep_on for sessions only, so it is not among the global ones.
    String provider = variables.getOrDefault("wsrep_provider", "");
    if (!provider.isEmpty() && !provider.equalsIgnoreCase("none")) {
      throw new IllegalStateException(
          "the server has wsrep_provider=%s, so other servers of its cluster confirm rows that it"
                  .formatted(provider)
              + " does not have yet; look keys up");
    }
  }

  /**
   * Refuses a group whose members accept writes side by side, or whose next primary answers before
   * it has applied what this one has confirmed.
   */
  static void checkGroup(String isSinglePrimary, String consistency) {
    String mode = "group_replication_single_primary_mode";
    require(Map.of(mode, isSinglePrimary), mode, "ON");
    if (consistency.isEmpty() || consistency.equalsIgnoreCase("EVENTUAL")) {
      throw new IllegalStateException(
          "the server has group_replication_consistency=%s, and a follower needs %s"
              .formatted(consistency, "BEFORE_ON_PRIMARY_FAILOVER or a stronger one"));
    }
  }

  /** A variable that the server does not know has no effect there, except those that are on. */
  private static void require(Map<String, String> variables, String name, String wanted) {
    String value = variables.getOrDefault(name, wanted.equals("OFF") ? "OFF" : "");
    // From MySQL 9 on, the format of the log is ROW and no longer a setting in all versions.
    boolean isGone = name.equals("binlog_format") && value.isEmpty();
    if (!value.equalsIgnoreCase(wanted) && !isGone) {
      throw new IllegalStateException(
          "the server has %s=%s, and a follower needs %s=%s".formatted(name, value, name, wanted));
    }
  }

  /**
   * Refuses a server that leaves a database out of its log. A statement that changes a table is
   * left out if it comes from a session in such a database, wherever the table is: RENAME could
   * bring rows that the log does not show.
   */
  static void checkFilters(Statement statement) throws SQLException {
    try (ResultSet row = status(statement)) {
      if (!row.next()) {
        throw new IllegalStateException("the server has log_bin=OFF, and a follower needs it");
      }
      String only = String.valueOf(row.getString(3));
      String without = String.valueOf(row.getString(4));
      if (!only.isEmpty() || !without.isEmpty()) {
        throw new IllegalStateException(
            "the server has binlog_do_db=%s and binlog_ignore_db=%s, so it does not log all changes"
                .formatted(only, without));
      }
    }
  }

  private static ResultSet status(Statement statement) throws SQLException {
    try {
      return statement.executeQuery("show master status");
    } catch (SQLException e) { // MySQL 8.4 and later have another word for it.
      return statement.executeQuery("show binary log status");
    }
  }
}
