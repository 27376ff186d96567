package io.woodbird.console;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** The demo's table of products, in an H2 database that lives in memory. For many threads. */
final class ShopDatabase implements AutoCloseable {
  /** Every id is a multiple of this. */
  static final int STEP = 7;

  private static final String QUERY = "select name from product where id = ?";

  private final String url;
  private final int products;
  private final Connection statistics;
  private final PreparedStatement count;
  private final ConcurrentLinkedDeque<Session> idle = new ConcurrentLinkedDeque<>();

  /** A connection and its one question. */
  private record Session(Connection connection, PreparedStatement find) {}

  ShopDatabase(int products) throws SQLException {
    // Otherwise H2 would answer repeated queries from its cache, without any work.
    this.url = "jdbc:h2:mem:" + UUID.randomUUID() + ";OPTIMIZE_REUSE_RESULTS=0";
    this.products = products;
    statistics = DriverManager.getConnection(url);
    try (Statement statement = statistics.createStatement()) {
      statement.execute("create table product(id bigint primary key, name varchar(40) not null)");
      statement.execute(
          "insert into product select x * %s, 'product ' || x from system_range(1, %s)"
              .formatted(STEP, products));
      statement.execute("set query_statistics true");
    }
    count =
        statistics.prepareStatement(
            "select sum(execution_count) from information_schema.query_statistics"
                + " where sql_statement = ?");
    count.setString(1, QUERY);
  }

  /** Whether an H2 is on the class path. */
  static boolean available() {
    try {
      DriverManager.getDriver("jdbc:h2:mem:");
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Name and version of the database. */
  synchronized String name() throws SQLException {
    DatabaseMetaData about = statistics.getMetaData();
    return about.getDatabaseProductName() + " " + about.getDriverVersion().split(" ", 2)[0];
  }

  int products() {
    return products;
  }

  /** Finds a product; null if there is none. */
  @Nullable String find(long id) throws SQLException {
    Session session = idle.pollLast();
    if (session == null) {
      Connection connection = DriverManager.getConnection(url);
      session = new Session(connection, connection.prepareStatement(QUERY));
    }
    try {
      session.find.setLong(1, id);
      try (ResultSet rows = session.find.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    } finally {
      idle.addLast(session);
    }
  }

  /** Finds a product, with an unchecked exception if the database fails. */
  @Nullable String look(long id) {
    try {
      return find(id);
    } catch (SQLException e) {
      throw new IllegalStateException("the database does not answer", e);
    }
  }

  /** Adds a product, and tells nobody. */
  synchronized void insert(long id) throws SQLException {
    try (PreparedStatement insert =
        statistics.prepareStatement("insert into product values (?, 'new')")) {
      insert.setLong(1, id);
      insert.executeUpdate();
    }
  }

  /** Connections of their own. */
  DataSource source() {
    return (DataSource)
        Proxy.newProxyInstance(
            ShopDatabase.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                return DriverManager.getConnection(url);
              }
              throw new SQLException("not offered: " + method.getName());
            });
  }

  /** The ids of all products. */
  synchronized long[] ids() throws SQLException {
    long[] ids = new long[products];
    int found = 0;
    try (Statement statement = statistics.createStatement();
        ResultSet rows = statement.executeQuery("select id from product")) {
      while (rows.next()) {
        ids[found++] = rows.getLong(1);
      }
    }
    if (found != products) {
      throw new SQLException("there are " + found + " of " + products + " products");
    }
    return ids;
  }

  /** How many questions for a product the database has answered, by its own statistics. */
  synchronized long queries() throws SQLException {
    try (ResultSet rows = count.executeQuery()) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  /** Closes the last connection, which drops all data. No query may be running. */
  @Override
  public synchronized void close() throws SQLException {
    for (Session session = idle.poll(); session != null; session = idle.poll()) {
      session.connection.close();
    }
    statistics.close();
  }
}
