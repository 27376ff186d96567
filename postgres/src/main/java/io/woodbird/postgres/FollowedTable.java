package io.woodbird.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The table that is followed, by its exact names, and the publication that has its changes. */
record FollowedTable(String schema, String table, String column, String publication) {
  private static final String MOMENT = resource("moment.sql");
  private static final String TABLE = resource("table.sql");
  private static final String PUBLICATION = resource("publication.sql");
  private static final String MISSING_RIGHTS = "42501";
  private static final String EXISTS = "42710";

  private static String resource(String name) {
    try (InputStream in = FollowedTable.class.getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String fullName() {
    return quote(schema) + "." + quote(table);
  }

  static String quote(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /**
   * Looks at what must be so, and makes the publication if there is none.
   *
   * @param lasting whether the slot outlives its connection
   * @param isNormalized whether keys are normalized before they are put
   * @throws UnfollowableException if the table can't be followed as things are
   */
  void prepare(Connection connection, boolean lasting, boolean isNormalized) throws SQLException {
    checkTable(connection, lasting, isNormalized);
    if (isPublished(connection)) {
      return;
    }
    String sql =
        "create publication "
            + quote(publication)
            + " for table only "
            + fullName()
            + " with (publish = 'insert, update, delete, truncate')";
    execute(connection, sql);
    if (!isPublished(connection)) {
      execute(
          connection, "alter publication " + quote(publication) + " add table only " + fullName());
    }
  }

  private void checkTable(Connection connection, boolean lasting, boolean isNormalized)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(TABLE)) {
      statement.setString(1, schema);
      statement.setString(2, table);
      statement.setString(3, column);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        String level = row.getString(1);
        require(
            "logical".equals(level),
            "the server's wal_level is '"
                + level
                + "', and its changes can be followed only with 'logical': run \"alter system set"
                + " wal_level = logical\" and restart the server");
        require(!row.getBoolean(2), "the server is a standby; the primary must be followed");
        require(
            !row.getBoolean(14),
            "synchronous_standby_names is '"
                + row.getString(13)
                + "', so the server may take the follower for a standby: commits would wait for it,"
                + " and would be safe nowhere else; name the standbys there, such as 'ANY 1 (a,"
                + " b)', and give the follower an ApplicationName that is none of them");
        require(
            !row.getBoolean(12),
            "the database has the extension Citus, which can keep the rows of a table in others;"
                + " look keys up");
        require(
            !lasting || !"-1".equals(row.getString(3)),
            "a lasting slot could fill the server's disk while nobody reads it: bound that with"
                + " \"alter system set max_slot_wal_keep_size = '10GB'\" and \"select"
                + " pg_reload_conf()\"");
        boolean plain = row.getBoolean(4);
        require(!row.wasNull(), "there is no table " + fullName());
        require(
            plain,
            fullName()
                + " is not a plain, logged table; a partitioned table or view has no changes");
        require(
            "heap".equals(row.getString(11)),
            fullName()
                + " has the access method "
                + row.getString(11)
                + ", whose rows the server may not send; look keys up");
        require(
            !row.getBoolean(5),
            "tables inherit from " + fullName() + "; their rows would not be followed");
        require(row.getBoolean(6), fullName() + " has no column " + quote(column));
        require(
            row.getString(7).isEmpty(),
            "the column " + quote(column) + " is generated, and the server does not publish it");
        require(
            row.getBoolean(8),
            fullName()
                + " has no replica identity, so that publishing its changes would let updates fail:"
                + " add a primary key, or run \"alter table "
                + fullName()
                + " replica identity full\"");
        checkType(row, isNormalized);
      }
    }
  }

  /**
   * Keys are compared by their text. So values that the server calls equal must have the same text,
   * and the text must not change by itself: somebody may rename a value of an enumeration, and
   * dates and floats are written as a session wants them.
   */
  private void checkType(ResultSet row, boolean isNormalized) throws SQLException {
    String kind = String.valueOf(row.getString(9)); // Null for enumerations and composite types.
    String type = "the column " + quote(column) + " has the type " + row.getString(10);
    require(
        isNormalized || !kind.equals("several texts"),
        type
            + ", and the server takes different texts for equal; give normalize(), and ask for"
            + " normalized keys, or look keys up");
    require(
        kind.equals("one text") || kind.equals("several texts"),
        type + ", and the text of such a value may change; look keys up");
  }

  private boolean isPublished(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(PUBLICATION)) {
      statement.setString(1, schema);
      statement.setString(2, table);
      statement.setString(3, publication);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          return false;
        }
        String name = "the publication " + quote(publication);
        require(
            !row.getBoolean(1),
            name + " is for all tables; make one that names " + fullName() + ", or name no one");
        require(
            row.getBoolean(2),
            name
                + " leaves out inserts or updates: run \"alter publication "
                + quote(publication)
                + " set (publish = 'insert, update, delete, truncate')\"");
        require(
            !row.getBoolean(5),
            name
                + " may send rows of a partition as those of another table: name no publication, or"
                + " run \"alter publication "
                + quote(publication)
                + " set (publish_via_partition_root = false)\"");
        if (!row.getBoolean(3)) {
          return false;
        }
        require(row.getBoolean(4), name + " leaves out some rows or columns of " + fullName());
        return true;
      }
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new UnfollowableException(otherwise, null);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      if (EXISTS.equals(e.getSQLState())) {
        return; // Another process was faster, or it lacks the table.
      }
      if (MISSING_RIGHTS.equals(e.getSQLState())) {
        throw new UnfollowableException(e.getMessage() + "; let the table's owner run: " + sql, e);
      }
      throw e;
    }
  }

  /** Asks for the server's position and for all on which it depends that nothing is missed. */
  Moment moment(Connection connection, String slot) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(MOMENT)) {
      statement.setString(1, slot);
      statement.setString(2, schema);
      statement.setString(3, table);
      statement.setString(4, column);
      statement.setString(5, publication);
      try (ResultSet row = statement.executeQuery()) {
        if (!row.next()) {
          throw new LostTrackException(
              "the table, its column or the publication " + quote(publication) + " is gone");
        }
        return new Moment(
            Moment.position(row.getString(1)),
            Snapshot.parse(row.getString(2)),
            row.getString(3),
            (int) row.getLong(4),
            row.getInt(5));
      }
    }
  }
}
