package io.woodbird.postgres;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A real server that can be stopped, started again and frozen. */
final class TestPostgres implements AutoCloseable {
  private final Path folder;
  private final String walLevel;
  private EmbeddedPostgres server;
  private final int port;
  private String database = "postgres";

  private TestPostgres(String walLevel) throws IOException {
    this.walLevel = walLevel;
    this.folder = Files.createTempDirectory("woodbird-postgres");
    this.server = builder().start();
    this.port = server.getPort();
  }

  static TestPostgres start() throws IOException {
    return new TestPostgres("logical");
  }

  static TestPostgres startWithLevel(String walLevel) throws IOException {
    return new TestPostgres(walLevel);
  }

  private EmbeddedPostgres.Builder builder() {
    return EmbeddedPostgres.builder()
        .setDataDirectory(folder.resolve("data"))
        .setCleanDataDirectory(false)
        .setServerConfig("wal_level", walLevel)
        .setServerConfig("max_replication_slots", "50")
        .setServerConfig("max_wal_senders", "50")
        .setServerConfig("max_prepared_transactions", "10")
        .setServerConfig("synchronous_commit", "on")
        .setServerConfig("fsync", "off");
  }

  String url() {
    return url(port);
  }

  /** The server by way of another port. */
  String url(int other) {
    return "jdbc:postgresql://localhost:" + other + "/" + database;
  }

  /** Makes a new database, and uses it from then on. */
  void use(String name) throws SQLException {
    database = "postgres";
    execute("create database " + name);
    database = name;
  }

  int port() {
    return port;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url(), "postgres", "postgres");
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  String ask(String sql) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  List<String> column(String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        values.add(row.getString(1));
      }
    }
    return values;
  }

  void stop() throws IOException {
    server.close();
  }

  void startAgain() throws IOException {
    server = builder().setPort(port).start();
  }

  void freeze() throws Exception {
    signal("-STOP");
  }

  void thaw() throws Exception {
    signal("-CONT");
  }

  private void signal(String name) throws Exception {
    long postmaster =
        Long.parseLong(Files.readAllLines(folder.resolve("data/postmaster.pid")).get(0).strip());
    // The postmaster first, so that it starts no further process; one that has just ended is fine.
    if (kill(name, postmaster) != 0) {
      throw new IllegalStateException("no such process: " + postmaster);
    }
    for (ProcessHandle child : ProcessHandle.of(postmaster).orElseThrow().descendants().toList()) {
      if (kill(name, child.pid()) != 0 && child.isAlive()) {
        throw new IllegalStateException("not signalled: " + child.pid());
      }
    }
  }

  private static int kill(String signal, long process) throws Exception {
    return new ProcessBuilder("kill", signal, Long.toString(process)).inheritIO().start().waitFor();
  }

  @Override
  public void close() throws IOException {
    server.close();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
