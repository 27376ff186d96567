package io.woodbird.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server, or MySQL, on a free port of this machine, in a folder of its own, to be
 * killed, frozen and started again by tests.
 *
 * <p>The program is the first that {@code -Dwoodbird.mysql.server} names, which may be several with
 * colons between them; else that of Debian's package mariadb-server-core. It is taken for MySQL if
 * its name is mysqld, as {@code testkit/servers} calls it.
 */
public final class MariaDbServer implements AutoCloseable {
  /** Who may do everything. */
  public static final String USER = "writer";

  /** Of {@link #USER}. */
  public static final String PASSWORD = "secret";

  /** Names the programs, with colons between them. */
  public static final String PROGRAMS = "woodbird.mysql.server";

  private static final Path INSTALLED = Path.of("/usr/sbin/mariadbd");
  private static final Path SCRIPTS = Path.of("/usr/share/mysql");
  private static final int PATIENCE_SECONDS = 180;

  private static final int GONE = 1094; // The error of "kill" if there is no such connection.

  /** The files of a new server, of each program. */
  private static final Map<Path, Path> FILES = new HashMap<>();

  private final Path program;
  private final Path folder;
  private final int port;
  private @Nullable Process process;

  private MariaDbServer(Path program, Path folder, int port) {
    this.program = program;
    this.folder = folder;
    this.port = port;
  }

  /** The programs that {@link #PROGRAMS} names, or the installed one. */
  public static List<Path> programs() {
    List<Path> found = new ArrayList<>();
    for (String path : System.getProperty(PROGRAMS, "").split(File.pathSeparator, -1)) {
      if (!path.isEmpty()) {
        found.add(Path.of(path));
      }
    }
    return found.isEmpty() ? List.of(INSTALLED) : found;
  }

  /** Starts a server, or skips the test if there is none on this machine. */
  public static MariaDbServer start(String... options) throws Exception {
    Path program = programs().get(0);
    boolean isInstalled =
        Files.isExecutable(program)
            && (isMySql(program) || Files.exists(SCRIPTS.resolve("mysql_system_tables.sql")));
    assumeTrue(isInstalled, "MariaDB is not installed; Debian has it in mariadb-server-core");
    MariaDbServer server = inANewFolder();
    copy(files(), server.folder.resolve("data"));
    // Each has a name of its own.
    Files.deleteIfExists(server.folder.resolve("data/auto.cnf"));
    server.writeUsers();
    server.startAgain(options);
    return server;
  }

  private static MariaDbServer inANewFolder() throws IOException {
    return new MariaDbServer(
        programs().get(0), Files.createTempDirectory("woodbird-mariadb"), freePort());
  }

  /** The files of a new server, made once in a JVM: that takes ten times as long as a copy. */
  private static synchronized Path files() throws Exception {
    Path program = programs().get(0);
    Path made = FILES.get(program);
    if (made == null) {
      MariaDbServer server = inANewFolder();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> deleteQuietly(server.folder)));
      server.install();
      made = server.folder.resolve("data");
      FILES.put(program, made);
    }
    return made;
  }

  /** Starts a server and asks which one it is. */
  public static String version() throws Exception {
    try (MariaDbServer server = start()) {
      return (server.isMySql() ? "MySQL " : "") + server.ask("select version()");
    }
  }

  /** Whether it is MySQL. */
  public boolean isMySql() {
    return isMySql(program);
  }

  private static boolean isMySql(Path program) {
    return program.endsWith("mysqld");
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
                program.toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"), // As root it would refuse to start.
                "--datadir=" + folder.resolve("data"),
                "--tmpdir=" + folder, // A server that starts removes files of others in /tmp.
                "--innodb-buffer-pool-size=64M",
                isMySql() ? "--innodb-redo-log-capacity=32M" : "--innodb-log-file-size=32M"));
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
    if (isMySql()) {
      await(launch(List.of("--initialize-insecure")));
      return;
    }
    Process setup = launch(List.of("--bootstrap"));
    try (OutputStream sql = setup.getOutputStream()) {
      sql.write("create database mysql;\nuse mysql;\n".getBytes(StandardCharsets.UTF_8));
      sql.write("set @auth_root_socket = null;\n".getBytes(StandardCharsets.UTF_8));
      Files.copy(SCRIPTS.resolve("mysql_system_tables.sql"), sql);
      Files.copy(SCRIPTS.resolve("mysql_system_tables_data.sql"), sql);
    }
    await(setup);
  }

  private void await(Process setup) throws Exception {
    if (setup.waitFor() != 0) {
      throw new IOException("can't set up the server: " + Files.readString(log()));
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
    if (isMySql()) {
      all.addAll(
          List.of(
              "--gtid-mode=ON",
              "--enforce-gtid-consistency=ON",
              "--mysqlx=OFF",
              "--secure-file-priv=NULL", // The usual folder is not there.
              "--cte-max-recursion-depth=10000000"));
    }
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
          throw new IOException("the server does not start: " + Files.readString(log()), e);
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
    return ("jdbc:mariadb://127.0.0.1:%s/shop?user=%s&password=%s"
            + "&sslMode=disable&allowPublicKeyRetrieval=true&allowLocalInfile=true")
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
              "select id from information_schema.processlist where command like 'Binlog Dump%'")) {
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

  /** A table that a statement can read {@code seq} from, which has all numbers of a range. */
  public String numbers(long first, long last) {
    return isMySql()
        ? "(with recursive s(seq) as (select %s union all select seq + 1 from s where seq < %s)"
                .formatted(first, last)
            + " select seq from s) numbers"
        : "seq_%s_to_%s".formatted(first, last);
  }

  /** Makes a table, which may replace one of an earlier test. */
  public void create(String table, String definition) throws SQLException {
    run("drop table if exists " + table, "create table " + table + " " + definition);
  }

  /** Where the binary log ends. */
  public String logEnd() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(isMySql() ? "show binary log status" : "show master status")) {
      row.next();
      return row.getString(1) + " " + row.getString(2);
    }
  }

  /** Removes the binary log, so that GTIDs begin again. */
  public void resetLog() throws SQLException {
    run(isMySql() ? "reset binary logs and gtids" : "reset master");
  }

  /** Gives a server that is stopped another name, as if it were another server. */
  public void rename() throws IOException {
    Files.deleteIfExists(folder.resolve("data/auto.cnf"));
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
