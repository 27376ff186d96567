package io.woodbird.example.blocklist;

import io.woodbird.FilterPlan;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A blocklist from its making to the edge: built once from a stream in a budget of bytes, shipped
 * as a file, swapped while it answers.
 */
public final class Rollout {
  private final Path folder;
  private final long hosts;
  private final long maxBytes;

  /** A rollout in a folder: {@code hosts} entries in at most {@code maxBytes} bytes. */
  Rollout(Path folder, long hosts, long maxBytes) {
    this.folder = folder;
    this.hosts = hosts;
    this.maxBytes = maxBytes;
  }

  /** Entry number i of the list; a real list is lines of a file, or rows of a database. */
  static String host(long i) {
    return "host-" + Long.toUnsignedString((i + 1) * 0x9e3779b97f4a7c15L, 36) + ".example";
  }

  /**
   * Builds a list. The stream may be larger than memory: only hashes are kept, beyond it on disk.
   */
  private Path build(String name, long from, long to) throws IOException {
    Path file = folder.resolve(name);
    Stream<String> stream = LongStream.range(from, to).mapToObj(Rollout::host);
    FilterPlan plan =
        Woodbird.frozen(Keys.strings()).maxBytes(maxBytes).tempDir(folder).buildTo(file, stream);
    System.out.printf(
        "built   %s: %,d hosts in %,d bytes, a wrong \"maybe\" for %.2f %% of the others%n",
        name, plan.keys(), plan.bytes(), 100 * plan.fpp());
    return file;
  }

  /** Copies a file to the edge. It appears there when the copy is complete. */
  private static void ship(Path file, Path edge, String name) throws IOException {
    Path part = Files.copy(file, edge.resolve(name + ".part"), StandardCopyOption.REPLACE_EXISTING);
    Files.move(part, edge.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  void run() throws IOException, InterruptedException {
    Path edge = Files.createDirectories(folder.resolve("edge"));
    Path monday = build("monday.wbird", 0, hosts);
    ship(monday, edge, "blocklist.wbird");

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                EdgeProcess.class.getName(),
                edge.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    PrintWriter ask = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    try (BufferedReader says =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      say(says);
      ask.println(host(0)); // On the list.
      say(says);

      Path tuesday = build("tuesday.wbird", 0, hosts + hosts / 50); // A 2 % longer list.
      byte[] bytes = Files.readAllBytes(tuesday);
      bytes[bytes.length / 2] ^= 1; // One bit was lost on the way.
      ship(Files.write(folder.resolve("damaged.wbird"), bytes), edge, "arrived.wbird");
      say(says);
      ship(tuesday, edge, "arrived.wbird");
      say(says);
      ask.println(host(hosts + 1)); // New on Tuesday.
      say(says);
      ask.close();
      say(says);
    } finally {
      ask.close(); // The edge ends with its input, also when something failed here.
    }
    if (process.waitFor() != 0) {
      throw new IOException("the edge ended with " + process.exitValue());
    }
  }

  private static void say(BufferedReader edge) throws IOException {
    String line = edge.readLine();
    if (line == null) {
      throw new IOException("the edge is gone");
    }
    System.out.println("  edge  " + line);
  }

  /**
   * Rolls out two lists of a million hosts in a megabyte each.
   *
   * @param arguments the folder to keep the files in; none is kept if none is given
   * @throws Exception if anything fails
   */
  public static void main(String[] arguments) throws Exception {
    if (arguments.length > 0) {
      new Rollout(Files.createDirectories(Path.of(arguments[0])), 1_000_000, 1_000_000).run();
      return;
    }
    Path folder = Files.createTempDirectory("blocklist");
    try {
      new Rollout(folder, 1_000_000, 1_000_000).run();
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }
}
