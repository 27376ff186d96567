package io.woodbird.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis or Valkey server on a free port of this machine, to be killed, stopped and started
 * again by tests.
 *
 * <p>The program is the first that {@code -Dwoodbird.redis.server} names, which may be several with
 * colons between them; else {@code redis-server} or {@code valkey-server} from the path; else the
 * static one inside the Maven artifact {@code org.signal:embedded-redis}, if that is on the class
 * path.
 */
public final class RedisServer implements AutoCloseable {
  /** Names the programs, with colons between them. */
  public static final String PROGRAMS = "woodbird.redis.server";

  private static final int PATIENCE_SECONDS = 180;
  private static @Nullable Path unpacked;

  private final Path program;
  private final int port;
  private final Path folder;
  private List<String> options;
  private Process process;

  private RedisServer(Path program, int port, Path folder, List<String> options)
      throws IOException {
    this.program = program;
    this.port = port;
    this.folder = folder;
    this.options = options;
    this.process = launch();
  }

  /**
   * Starts a server that keeps nothing on disk unless told so.
   *
   * @param options of the command line, such as {@code "--maxmemory", "20mb"}
   * @return the server, ready
   */
  public static RedisServer start(String... options) {
    return start(programs().get(0), options);
  }

  /**
   * Starts a server of one of the {@link #programs}.
   *
   * @param program the program
   * @param options as in {@link #start(String...)}
   * @return the server, ready
   */
  public static RedisServer start(Path program, String... options) {
    try {
      Path folder = Files.createTempDirectory("woodbird-redis");
      RedisServer server = new RedisServer(program, freePort(), folder, List.of(options));
      server.await();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a free port from 11,000 to 20,999 whose cluster bus port, 10,000 above, is free too.
   * Linux gives outgoing connections ports above 32,767, so none of them takes the port of a server
   * that restarts.
   */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(11_000, 21_000);
      if (isFree(port) && isFree(port + 10_000)) {
        return port;
      }
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  private Process launch() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(
        List.of(
            "--port",
            "" + port,
            "--bind",
            "127.0.0.1",
            "--dir",
            folder.toString(),
            "--save",
            "",
            "--appendonly",
            "no",
            "--protected-mode",
            "no",
            "--enable-debug-command",
            "yes",
            "--repl-diskless-sync-delay",
            "0"));
    command.addAll(options);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
        .start();
  }

  /**
   * The programs that are here.
   *
   * @return at least one; the first is what {@link #start(String...)} starts
   */
  public static List<Path> programs() {
    String given = System.getProperty(PROGRAMS, "");
    List<Path> found = new ArrayList<>();
    for (String path : given.split(File.pathSeparator, -1)) {
      if (!path.isEmpty()) {
        found.add(Path.of(path));
      }
    }
    if (!found.isEmpty()) {
      return found;
    }
    for (String name : List.of("redis-server", "valkey-server")) {
      for (String place : System.getenv("PATH").split(File.pathSeparator, -1)) {
        Path file = Path.of(place, name);
        if (Files.isExecutable(file)) {
          found.add(file);
          break;
        }
      }
    }
    try {
      Path embedded = embedded();
      if (embedded != null) {
        found.add(embedded);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (found.isEmpty()) {
      throw new IllegalStateException("no redis-server, and no valkey-server");
    }
    return found;
  }

  /** The program inside the artifact, unpacked once, or null. */
  private static synchronized @Nullable Path embedded() throws IOException {
    String arch =
        System.getProperty("os.arch").replace("x86_64", "amd64").replace("aarch64", "arm64");
    boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
    String resource = "redis-server-7.0.15-" + (mac ? "darwin-" : "linux-") + arch;
    if (unpacked == null) {
      try (InputStream in = RedisServer.class.getClassLoader().getResourceAsStream(resource)) {
        if (in == null) {
          return null;
        }
        Path target = Files.createTempFile(resource, "");
        target.toFile().deleteOnExit();
        Files.copy(in, target, StandardCopyOption.REPLACE_EXISTING);
        if (!target.toFile().setExecutable(true)) {
          throw new IOException("can't make it executable: " + target);
        }
        unpacked = target;
      }
    }
    return unpacked;
  }

  /**
   * Whether the server has a command.
   *
   * @param command its name
   * @return whether it is known
   */
  public boolean knows(String command) {
    return ask("COMMAND", "INFO", command) instanceof List<?> list && list.get(0) != null;
  }

  /** Waits until the server answers and has loaded what it keeps. */
  private void await() throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (System.nanoTime() - end < 0) {
      if (!process.isAlive()) {
        throw new IOException("the server ended: " + Files.readString(folder.resolve("log")));
      }
      try {
        if ("PONG".equals(ask("PING"))) {
          return;
        }
      } catch (UncheckedIOException e) {
        sleep(10);
      }
    }
    throw new IOException("the server does not answer: " + Files.readString(folder.resolve("log")));
  }

  static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /**
   * The port on 127.0.0.1.
   *
   * @return the port
   */
  public int port() {
    return port;
  }

  /**
   * The folder of its files.
   *
   * @return the folder
   */
  public Path folder() {
    return folder;
  }

  /** Kills the process, as {@code kill -9} does. */
  public void kill() {
    signal("-KILL");
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Freezes the process. */
  public void freeze() {
    signal("-STOP");
  }

  /** Ends a {@link #freeze}. */
  public void thaw() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      // The shell has it built in; the command is in a package that not every machine has.
      new ProcessBuilder("sh", "-c", "kill " + signal + " " + process.pid()).start().waitFor();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Starts it again, after {@link #kill}, on the same port and in the same folder.
   *
   * @param newOptions instead of the old ones
   */
  public void startAgain(String... newOptions) {
    options = List.of(newOptions);
    try {
      process = launch();
      await();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Runs one command over a connection of its own.
   *
   * @param words the command
   * @return a String, a Long, a List of these, or null
   * @throws IllegalStateException if the server answers with an error
   * @throws UncheckedIOException if it does not answer
   */
  public @Nullable Object ask(String... words) {
    try (Socket socket = new Socket()) {
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), port), PATIENCE_SECONDS * 1000);
      socket.setSoTimeout(PATIENCE_SECONDS * 1000);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      for (String word : words) {
        byte[] bytes = word.getBytes(StandardCharsets.ISO_8859_1);
        out.write(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.write(bytes);
        out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
      }
      OutputStream to = socket.getOutputStream();
      to.write(out.toByteArray());
      to.flush();
      return reply(new BufferedInputStream(socket.getInputStream()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes all to disk, when the server is done with what it writes for a new replica. */
  public void save() {
    while (true) {
      try {
        ask("SAVE");
        return;
      } catch (IllegalStateException e) {
        if (!String.valueOf(e.getMessage()).contains("save already in progress")) {
          throw e;
        }
        sleep(10);
      }
    }
  }

  private static @Nullable Object reply(InputStream in) throws IOException {
    String line = line(in);
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case '-' -> {
        if (rest.startsWith("LOADING")) {
          throw new IOException(rest);
        }
        throw new IllegalStateException(rest);
      }
      case ':' -> Long.parseLong(rest);
      case '$' -> bulk(in, Integer.parseInt(rest));
      case '*' -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = Integer.parseInt(rest); i > 0; i--) {
          list.add(reply(in));
        }
        yield list;
      }
      default -> throw new IOException("not a reply: " + line);
    };
  }

  private static @Nullable String bulk(InputStream in, int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    line(in);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    while (true) {
      int next = in.read();
      if (next < 0) {
        throw new EOFException("the connection ended");
      }
      if (next == '\n') {
        return line.substring(0, line.length() - 1);
      }
      line.append((char) next);
    }
  }

  /**
   * A line of INFO.
   *
   * @param section such as {@code "stats"}
   * @param field such as {@code "evicted_keys"}
   * @return what stands after it, or ""
   */
  public String info(String section, String field) {
    for (String line : ("" + ask("INFO", section)).split("\r\n", -1)) {
      if (line.startsWith(field + ":")) {
        return line.substring(field.length() + 1);
      }
    }
    return "";
  }

  /** Ends the server and removes its files. */
  @Override
  public void close() {
    kill();
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
