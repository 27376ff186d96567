package io.woodbird.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * The place in the server's log from which changes are sent.
 *
 * @param name its name
 * @param lasting whether it outlives its connection
 */
record Slot(String name, boolean lasting) {
  private static final String THERE =
      "select confirmed_flush_lsn::text from pg_replication_slots where slot_name = ? and plugin ="
          + " 'pgoutput' and database = current_database() and wal_status <> 'lost'";

  /** Every commit from here on will be sent; -1 if the slot is not there or is of no use. */
  long from(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(THERE)) {
      statement.setString(1, name);
      try (ResultSet row = statement.executeQuery()) {
        String from = row.next() ? row.getString(1) : null;
        return from == null ? -1 : Moment.position(from);
      }
    }
  }

  /** Makes it; waits until all transactions that run now have ended. */
  void create(Connection connection) throws SQLException {
    drop(connection);
    run(
        connection,
        "select pg_create_logical_replication_slot(?, 'pgoutput', "
            + (lasting ? "false" : "true")
            + ")");
  }

  /** Drops it if it is there. */
  void drop(Connection connection) throws SQLException {
    run(
        connection,
        "select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ?");
  }

  private void run(Connection connection, String sql) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, name);
      statement.execute();
    }
  }
}
