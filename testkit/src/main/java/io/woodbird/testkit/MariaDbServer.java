package io.woodbird.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
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
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server on a free port of this machine, in a folder of its own, to be killed,
 * frozen and started again by tests. Needs the programs and files of Debian's package
 * mariadb-server-core.
 */
public final class MariaDbServer implements AutoCloseable {
  /** Who may do everything. */
  public static final String USER = "writer";

  /** Of {@link #USER}. */
  public static final String PASSWORD = "secret";

  private static final Path PROGRAM = Path.of("/usr/sbin/mariadbd");
  private static final Path SCRIPTS = Path.of("/usr/share/mysql");
  private static final int PATIENCE_SECONDS = 180;

  private static final int GONE = 1094; // The error of "kill" if there is no such connection.

  private static @Nullable Path installed;

  private final Path folder;
  private final int port;
  private @Nullable Process process;

  private MariaDbServer(Path folder, int port) {
    this.folder = folder;
    this.port = port;
  }

  /** Starts a server, or skips the test if there is none on this machine. */
  public static MariaDbServer start(String... options) throws Exception {
    boolean isInstalled =
        Files.isExecutable(PROGRAM) && Files.exists(SCRIPTS.resolve("mysql_system_tables.sql"));
    assumeTrue(isInstalled, "MariaDB is not installed; Debian has it in mariadb-server-core");
    MariaDbServer server = inANewFolder();
    copy(installed(), server.folder.resolve("data"));
    server.writeUsers();
    server.startAgain(options);
    return server;
  }

  private static MariaDbServer inANewFolder() throws IOException {
    return new MariaDbServer(Files.createTempDirectory("woodbird-mariadb"), freePort());
  }

  /** The files of a new server, made once in a JVM: that takes ten times as long as a copy. */
  private static synchronized Path installed() throws Exception {
    if (installed == null) {
      MariaDbServer server = inANewFolder();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteQuietly(server.folder)));
      server.install();
      installed = server.folder.resolve("data");
    }
    return installed;
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  private static void deleteQuietly(Path folder) {
    try {
      delete(folder);
    } catch (IOException e) {
      System.err.println("left behind: " + folder + ": " + e);
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Below the ports that Linux gives to outgoing connections, so that it is free after a kill. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(21_000, 32_000);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Taken: try another.
      }
    }
  }

  private Process launch(List<String> options) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                PROGRAM.toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"), // As root it would refuse to start.
                "--datadir=" + folder.resolve("data"),
                "--tmpdir=" + folder, // A server that starts removes files of others in /tmp.
                "--innodb-buffer-pool-size=64M",
                "--innodb-log-file-size=32M"));
    command.addAll(options);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  private Path log() {
    return folder.resolve("log");
  }

  /** Makes the tables of the server, as mariadb-install-db does. */
  private void install() throws Exception {
    Files.createDirectory(folder.resolve("data"));
    Process setup = launch(List.of("--bootstrap"));
    try (OutputStream sql = setup.getOutputStream()) {
      sql.write("create database mysql;\nuse mysql;\n".getBytes(StandardCharsets.UTF_8));
      sql.write("set @auth_root_socket = null;\n".getBytes(StandardCharsets.UTF_8));
      Files.copy(SCRIPTS.resolve("mysql_system_tables.sql"), sql);
      Files.copy(SCRIPTS.resolve("mysql_system_tables_data.sql"), sql);
    }
    if (setup.waitFor() != 0) {
      throw new IOException("can't set up MariaDB: " + Files.readString(log()));
    }
  }

  private void writeUsers() throws IOException {
    Files.writeString(
        folder.resolve("users.sql"),
        """
        set sql_log_bin=0;
        create user if not exists %s@'%%' identified by '%s';
        grant all on *.* to %s@'%%' with grant option;
        create database if not exists shop;
        """
            .formatted(USER, PASSWORD, USER));
  }

  /** Starts it, the first time or after {@link #kill}. Later options win. */
  public void startAgain(String... options) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--bind-address=127.0.0.1",
                "--port=" + port,
                "--socket=" + folder.resolve("socket"),
                "--pid-file=" + folder.resolve("pid"),
                "--skip-name-resolve",
                "--init-file=" + folder.resolve("users.sql"),
                "--log-bin=binlog",
                "--binlog-format=ROW",
                "--server-id=1",
                "--local-infile=1"));
    all.addAll(List.of(options));
    Process started = launch(all);
    process = started;
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (true) {
      try {
        connect().close();
        return;
      } catch (SQLException e) {
        if (!started.isAlive() || System.nanoTime() - end > 0) {
          throw new IOException("MariaDB does not start: " + Files.readString(log()), e);
        }
        Thread.sleep(20);
      }
    }
  }

  /** The port of the server. */
  public int port() {
    return port;
  }

  private static String url(String user, String password, int port) {
    return ("jdbc:mariadb://127.0.0.1:%d/shop?user=%s&password=%s"
            + "&sslMode=disable&allowLocalInfile=true")
        .formatted(port, user, password);
  }

  /** A connection of its own, as the user who may do everything. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url(USER, PASSWORD, port));
  }

  /** Connections as the user who may do everything. */
  public DataSource dataSource() {
    return dataSource(USER, PASSWORD);
  }

  /** The same, by way of another port, such as that of a {@link NetworkProxy}. */
  public DataSource dataSource(int port) {
    return dataSource(url(USER, PASSWORD, port));
  }

  /** Connections of another user. */
  public DataSource dataSource(String user, String password) {
    return dataSource(url(user, password, port));
  }

  private static DataSource dataSource(String url) {
    return (DataSource)
        Proxy.newProxyInstance(
            MariaDbServer.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) -> {
              if (method.getName().equals("getConnection")) {
                return DriverManager.getConnection(url);
              }
              throw new SQLException("not offered: " + method.getName());
            });
  }

  /** Runs statements over a connection of their own. */
  public void run(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The first value that a query gives. */
  public String ask(String query) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Ends all connections that read the binary log. */
  public void killStreams() throws SQLException {
    List<Long> streams = new ArrayList<>();
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      try (ResultSet row =
          statement.executeQuery(
              "select id from information_schema.processlist where command = 'Binlog Dump'")) {
        while (row.next()) {
          streams.add(row.getLong(1));
        }
      }
      for (long id : streams) {
        try {
          statement.execute("kill " + id);
        } catch (SQLException e) {
          if (e.getErrorCode() != GONE) {
            throw e;
          }
        }
      }
    }
  }

  /** Kills the process, as {@code kill -9} does. */
  public void kill() throws IOException {
    signal("-KILL").onExit().join();
  }

  /** Ends the process in an orderly way. */
  public void stop() throws IOException {
    signal("-TERM").onExit().join();
  }

  /** Stops the process without ending it. */
  public void freeze() throws IOException {
    signal("-STOP");
  }

  /** Lets a frozen process go on. */
  public void thaw() throws IOException {
    signal("-CONT");
  }

  private Process signal(String signal) throws IOException {
    Process running = Objects.requireNonNull(process, "not started");
    String command = "kill " + signal + " " + running.pid();
    new ProcessBuilder("sh", "-c", command).start().onExit().join();
    return running;
  }

  @Override
  public void close() throws IOException {
    kill();
    delete(folder);
  }
}
