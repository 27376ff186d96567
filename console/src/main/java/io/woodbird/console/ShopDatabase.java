package io.woodbird.console;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The demo's table of products, in an H2 database that lives in memory. */
final class ShopDatabase implements AutoCloseable {
  static final int PRODUCTS = 100_000;

  /** Every id is a multiple of this. */
  static final int STEP = 7;

  private static final String QUERY = "select name from product where id = ?";

  private final Connection questions;
  private final Connection statistics;
  private final PreparedStatement find;
  private final PreparedStatement count;

  ShopDatabase() throws SQLException {
    // A result that H2 remembers from the same question before would be neither work nor news.
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";OPTIMIZE_REUSE_RESULTS=0";
    questions = DriverManager.getConnection(url);
    statistics = DriverManager.getConnection(url);
    try (Statement statement = questions.createStatement()) {
      statement.execute("create table product(id bigint primary key, name varchar(40) not null)");
      statement.execute(
          "insert into product select x * %d, 'product ' || x from system_range(1, %d)"
              .formatted(STEP, PRODUCTS));
      statement.execute("set query_statistics true");
    }
    find = questions.prepareStatement(QUERY);
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

  /** Finds a product; null if there is none. For one thread. */
  @Nullable String find(long id) throws SQLException {
    find.setLong(1, id);
    try (ResultSet rows = find.executeQuery()) {
      return rows.next() ? rows.getString(1) : null;
    }
  }

  /** Finds a product for those who know nothing of SQL. */
  @Nullable String look(long id) {
    try {
      return find(id);
    } catch (SQLException e) {
      throw new IllegalStateException("the database does not answer", e);
    }
  }

  /** The ids of all products. */
  synchronized List<Long> ids() throws SQLException {
    List<Long> ids = new ArrayList<>(PRODUCTS);
    try (Statement statement = statistics.createStatement();
        ResultSet rows = statement.executeQuery("select id from product")) {
      while (rows.next()) {
        ids.add(rows.getLong(1));
      }
    }
    return ids;
  }

  /** How many questions for a product the database has answered, by its own statistics. */
  synchronized long queries() throws SQLException {
    try (ResultSet rows = count.executeQuery()) {
      return rows.next() ? rows.getLong(1) : 0;
    }
  }

  @Override
  public void close() throws SQLException {
    statistics.close();
    questions.close();
  }
}
