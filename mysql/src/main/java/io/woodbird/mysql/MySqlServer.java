package io.woodbird.mysql;

import com.github.shyiko.mysql.binlog.GtidSet;
import com.github.shyiko.mysql.binlog.MariadbGtidSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Asks a server about itself, over a connection that is kept. */
final class MySqlServer implements AutoCloseable {
  static final String MARIADB = "mariadb ";

  /** A server that does not answer for so long is given up; the next call connects again. */
  private static final int ANSWER_MILLIS = 10_000;

  private static final int TRIES = 100;
  private static final int LOG_IS_CLOSED = 1381;

  /*
   * Which server it is must be known in each statement: a proxy may send each to another one. Servers
   * that replicate each other have different ids, and others have other names.
   *
   * MySQL lets readers see a transaction some moments before it adds its GTID to gtid_executed, and
   * for so long the GTID is in gtid_owned. So that is read first: what was visible is in one of both.
   */
  // Newer servers of MariaDB write OFF instead of 0.
  private static final String READ_ONLY = "concat(@@global.read_only) not in ('0', 'OFF')";

  // A reader of Aurora shows only the second. MariaDB may lack it, and can't change it.
  static final String READ_ONLY_MYSQL =
      READ_ONLY + " or concat(@@global.innodb_read_only) not in ('0', 'OFF')";

  // If MariaDB can't begin a new file of its log, it goes on without a log, and log_bin stays ON.
  // Then this function fails. It reads nothing, because there is no such file.
  private static final String IS_LOGGING = "binlog_gtid_pos('none', 4) is null";

  // By default MariaDB does not log what it applies as a replica. A server that has applied more
  // since then counts as another one, because its table has rows that its log does not have.
  private static final String UNLOGGED =
      "if(@@global.log_slave_updates or @@global.gtid_slave_pos = '', '',"
          + " concat(', which has applied ', @@global.gtid_slave_pos, ' unlogged'))";

  static final String ASK_MARIADB =
      "select concat('mariadb ', @@server_id, ' ', @@hostname, ' ', @@port, "
          + UNLOGGED
          + "), "
          + READ_ONLY
          + ", @@global.gtid_binlog_pos, @@global.gtid_binlog_state, @@global.sync_binlog, "
          + IS_LOGGING;
  static final String ASK_MYSQL =
      "select concat('mysql ', @@server_uuid), "
          + READ_ONLY_MYSQL
          + ", @@global.gtid_owned, @@global.gtid_executed, @@global.sync_binlog,"
          + " @@global.gtid_mode"
          + groupVariable("group_name")
          + groupVariable("single_primary_mode")
          + groupVariable("consistency");

  private static final String ASK_EXECUTED = "select @@global.gtid_executed";

  static final String ASK_UPTIME = "show global status like 'uptime'";
  private static final String ASK_SNAPSHOT = "show status like 'binlog_snapshot_%'";
  static final String ASK_TIME = "select unix_timestamp()";

  private final DataSource source;

  /** Held while it connects. */
  private final ReentrantLock connecting = new ReentrantLock();

  private volatile @Nullable Connection connection;
  private boolean isMariaDb;

  // As the connection was: not every pool restores them.
  private int networkMillis;
  private boolean autoCommit = true;

  /** How many questions are being asked. */
  private final AtomicInteger asking = new AtomicInteger();

  private volatile boolean closed;

  MySqlServer(DataSource source) {
    this.source = source;
  }

  /**
   * What the server says at one moment.
   *
   * @param server which one it is
   * @param isReadOnly whether it refuses writes, as replicas do
   * @param executed the transactions that are visible or committed, and perhaps some more; MariaDB
   *     gives the last one of each domain
   * @param known the last transaction of each server that ever wrote the log, for MariaDB
   * @param isSynced whether each commit waits until the binary log is on disk
   */
  record Now(
      String server, boolean isReadOnly, GtidSet executed, GtidSet known, boolean isSynced) {}

  /** Empty if the server does not know it: by its name alone that would be an error. */
  private static String groupVariable(String name) {
    return ", coalesce((select variable_value from performance_schema.global_variables where"
        + " variable_name = 'group_replication_"
        + name
        + "'), '')";
  }

  private Connection connection() throws SQLException {
    connecting.lock();
    try {
      Connection kept = connection;
      if (kept == null) {
        if (closed) {
          throw new SQLException("the follower is closed");
        }
        kept = source.getConnection();
        connection = kept;
        if (closed) { // Meanwhile.
          forget();
          throw new SQLException("the follower is closed");
        }
        networkMillis = kept.getNetworkTimeout();
        kept.setNetworkTimeout(Runnable::run, ANSWER_MILLIS);
        autoCommit = kept.getAutoCommit();
        kept.setAutoCommit(true);
        try (Statement statement = kept.createStatement();
            ResultSet row = statement.executeQuery("select version()")) {
          row.next();
          isMariaDb = row.getString(1).toLowerCase(Locale.ROOT).contains("mariadb");
        }
      }
      return kept;
    } finally {
      connecting.unlock();
    }
  }

  private interface Question<T> {
    T ask(Statement statement) throws SQLException;
  }

  /** Asks, and connects again the next time if that fails. */
  private <T> T ask(Question<T> question) throws SQLException {
    asking.incrementAndGet();
    try (Statement statement = connection().createStatement()) {
      return question.ask(statement);
    } catch (SQLException e) {
      forget();
      throw e;
    } finally {
      asking.decrementAndGet();
      if (closed) { // Meanwhile.
        forget();
      }
    }
  }

  /** Gives the connection back. The next question may reach another server. */
  void forget() {
    connecting.lock();
    try {
      Connection kept = connection;
      connection = null;
      if (kept != null) {
        try (kept) {
          if (!kept.isClosed()) {
            kept.setAutoCommit(autoCommit);
            kept.setNetworkTimeout(Runnable::run, networkMillis);
          }
        } catch (SQLException e) {
          // It is lost anyway.
        }
      }
    } finally {
      connecting.unlock();
    }
  }

  Now now() throws SQLException {
    return ask(
        statement -> {
          // Another number each time: something in between may keep results.
          String drawn = "" + ThreadLocalRandom.current().nextLong(Long.MAX_VALUE);
          String sql = (isMariaDb ? ASK_MARIADB : ASK_MYSQL) + ", " + drawn;
          try (ResultSet row = statement.executeQuery(sql)) {
            row.next();
            if (!drawn.equals(row.getString(row.getMetaData().getColumnCount()))) {
              throw new SQLException(
                  "the result is not that of this statement: something between here and the server"
                      + " keeps results");
            }
            GtidSet known = isMariaDb ? new MariadbGtidSet(row.getString(4)) : mySqlGtids(row);
            return new Now(
                row.getString(1),
                row.getBoolean(2),
                isMariaDb ? new MariadbGtidSet(row.getString(3)) : known,
                known,
                row.getLong(5) == 1);
          }
        });
  }

  /** Whether a question failed because the server does not write its log any more. */
  static boolean hasNoLog(SQLException e) {
    return e.getErrorCode() == LOG_IS_CLOSED;
  }

  private static GtidSet mySqlGtids(ResultSet row) throws SQLException {
    // It can be changed while the server runs, and then there are transactions without a GTID.
    if (!"ON".equalsIgnoreCase(row.getString(6))) {
      throw new IllegalStateException(
          "the server has gtid_mode=%s, and a follower needs ON".formatted(row.getString(6)));
    }
    if (!row.getString(7).isEmpty()) {
      ServerSettings.checkGroup(row.getString(8), row.getString(9));
    }
    return Position.mySqlGtids(row.getString(4), row.getString(3));
  }

  /** Reads variables, or counters, by their names. */
  private static Map<String, String> read(Statement statement, String sql) throws SQLException {
    Map<String, String> found = new HashMap<>();
    try (ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        found.put(row.getString(1).toLowerCase(Locale.ROOT), row.getString(2));
      }
    }
    return found;
  }

  /** When the server was started, in seconds of its own clock. */
  private static long started(Statement statement) throws SQLException {
    String uptime = read(statement, ASK_UPTIME).get("uptime");
    try (ResultSet row = statement.executeQuery(ASK_TIME)) {
      row.next();
      return row.getLong(1) - Long.parseLong(String.valueOf(uptime));
    }
  }

  /** Refuses a server whose binary log does not show all changes. */
  void check() throws SQLException {
    ask(
        statement -> {
          Map<String, String> variables = read(statement, "show global variables");
          variables.putAll(read(statement, "show global status like 'slaves_running'"));
          ServerSettings.check(variables, isMariaDb);
          ServerSettings.checkFilters(statement);
          return true;
        });
    if (now().isReadOnly()) {
      throw new IllegalStateException(
          "the server is read-only, so it is a replica; a follower needs the server that is"
              + " written to");
    }
  }

  /**
   * A position such that all transactions before it are visible to the next reader of the table.
   *
   * <p>MySQL adds a transaction to gtid_executed after it is visible. MariaDB writes it to the log
   * before that; but a consistent snapshot knows up to which place of the log it reaches.
   */
  Position position() throws SQLException {
    Now before = now();
    long started = ask(MySqlServer::started);
    String start = isMariaDb ? ask(MySqlServer::snapshot) : ask(MySqlServer::executed);
    Now after = now();
    if (!after.server().equals(before.server())) {
      throw new SQLException("the data source reaches different servers");
    }
    boolean isSynced = before.isSynced() && after.isSynced();
    return new Position(after.server(), "", started, isSynced, start, "", start);
  }

  private static String executed(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery(ASK_EXECUTED)) {
      row.next();
      return row.getString(1).replace("\n", "");
    }
  }

  private static String snapshot(Statement statement) throws SQLException {
    for (int i = 0; i < TRIES; i++) {
      statement.execute("start transaction with consistent snapshot");
      Map<String, String> at;
      Map<String, String> again;
      try {
        at = read(statement, ASK_SNAPSHOT);
        again = read(statement, ASK_SNAPSHOT);
      } finally {
        statement.execute("commit"); // Or the next user of the connection sees old rows.
      }
      if (!at.equals(again)) { // Sessions that ask at once may get a mixture of two answers.
        continue;
      }
      try (PreparedStatement place =
          statement.getConnection().prepareStatement("select binlog_gtid_pos(?, ?)")) {
        place.setString(1, at.get("binlog_snapshot_file"));
        place.setLong(2, Long.parseLong(at.getOrDefault("binlog_snapshot_position", "0")));
        try (ResultSet row = place.executeQuery()) {
          row.next();
          String gtids = row.getString(1);
          if (gtids != null) {
            return gtids;
          }
        }
      }
    }
    throw new SQLException("MariaDB does not say which GTID its binary log is at");
  }

  Column column(String schema, String table, String column) throws SQLException {
    return ask(statement -> Catalogue.column(statement.getConnection(), schema, table, column));
  }

  /** Has a question ended that another thread waits for. That thread gives the connection back. */
  @Override
  public void close() {
    closed = true;
    if (asking.get() == 0) {
      forget();
      return;
    }
    Connection kept = connection;
    if (kept != null) {
      // MariaDB's driver connects for this, and may wait for a server that hangs. Nobody waits with
      // it.
      Thread aborting = new Thread(() -> abort(kept), "woodbird-abort");
      aborting.setDaemon(true);
      aborting.start();
    }
  }

  private static void abort(Connection kept) {
    try {
      kept.abort(Runnable::run);
    } catch (SQLException e) {
      // It is lost anyway.
    }
  }
}
