package io.woodbird.cli;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Streams;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Runs through the verbs, so that the JVM can record the classes they need. The launcher runs it
 * once ({@code -XX:ArchiveClassesAtExit}); later starts then take a third of the time.
 */
final class Training {
  private static final Streams NOWHERE =
      new Streams(
          new ByteArrayInputStream("a\nb\n".getBytes(StandardCharsets.UTF_8)),
          new DataOut(OutputStream.nullOutputStream()),
          new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8),
          Set.of(),
          Map.of());

  private Training() {}

  static void run() throws IOException {
    Path folder = Files.createTempDirectory("woodbird");
    try {
      String lines = folder.resolve("lines.txt").toString();
      String filter = folder.resolve("lines.wbird").toString();
      Files.writeString(Path.of(lines), "alice\nbob\n");
      run("build", lines);
      run("check", filter, "alice", "eve");
      run("check", filter, "--from", lines);
      run("info", filter);
      run("info", "--json", filter);
      run("verify", filter);
      run("plan", "-n", "10M", "-p", "0.1%");
      run("plan", "-n", "2e9", "--budget", "500MB", "--json");
      run("diff", lines, lines);
      run("new", "-s", folder.resolve("seen.wbird").toString(), "-n", "1000", lines);
      run("merge", filter, filter, "-o", folder.resolve("all.wbird").toString());
      run("build", "--family", "ribbon", "-o", folder.resolve("r.wbird").toString(), lines);
      run("check", folder.resolve("r.wbird").toString(), "alice");
      run("help");
      run("help", "build");
      run("no-such-verb");
    } finally {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.delete(folder);
    }
  }

  private static void run(String... words) {
    Main.run(List.of(words), NOWHERE);
  }
}
