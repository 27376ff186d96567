package io.woodbird.example.guard;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A PostgreSQL with a table of products, that counts the statements it is sent. */
final class Database implements AutoCloseable {
  private final EmbeddedPostgres postgres;

  private Database(EmbeddedPostgres postgres) {
    this.postgres = postgres;
  }

  /** Starts it on a free port, with products 1 to n. */
  static Database start(long products) throws IOException, SQLException {
    Database database =
        new Database(
            EmbeddedPostgres.builder()
                .setServerConfig("shared_preload_libraries", "pg_stat_statements")
                .setServerConfig("fsync", "off")
                .start());
    database.execute("create extension pg_stat_statements");
    database.execute(
        "create table product (id bigserial primary key, name text not null, cents bigint not null)");
    database.execute(
        "insert into product (name, cents) select 'product ' || n, n % 10000 from generate_series(1, "
            + products
            + ") n");
    database.execute("analyze product");
    return database;
  }

  String url() {
    return postgres.getJdbcUrl("postgres", "postgres");
  }

  Connection connect() throws SQLException {
    return postgres.getPostgresDatabase().getConnection();
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** How often a statement was executed, as the database itself counted. */
  long executions(String sql) throws SQLException {
    return count("query = ?", sql.replace("?", "$1"));
  }

  /** How often guards asked for a proof that keys are absent. */
  long proofs() throws SQLException {
    return count("query like ?", "%pg_is_in_recovery()%");
  }

  private long count(String which, String query) throws SQLException {
    try (Connection connection = connect();
        PreparedStatement statement =
            connection.prepareStatement(
                "select coalesce(sum(calls), 0) from pg_stat_statements where " + which)) {
      statement.setString(1, query);
      try (ResultSet rows = statement.executeQuery()) {
        rows.next();
        return rows.getLong(1);
      }
    }
  }

  @Override
  public void close() throws IOException {
    postgres.close();
  }
}
