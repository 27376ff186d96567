package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Streams;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every verb whose output can't be written says so, and claims nothing else. */
final class UnwritableStdoutTest {
  @TempDir Path folder;

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private String file(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
    return path(name);
  }

  @Test
  void nothing_isPrintedThatStdoutCannotTake() throws IOException {
    String lines = file("lines.txt", "alice\nbob\n");
    String filter = path("lines.wbird");
    assertThat(Command.run("build", lines, "--seed", "1").code()).isZero();
    String more = file("more.txt", "alice\nbob\neve\n");
    for (String words :
        List.of(
            "help",
            "--version",
            "plan -n 1M",
            "completion bash",
            "build -f --json " + lines,
            "build -f -o - " + lines,
            "build -f -o - --family ribbon " + lines,
            "check " + filter + " alice",
            "check --both --from " + lines + " " + filter,
            "check -c --from " + lines + " " + filter,
            "new -s " + path("seen.wbird") + " " + lines,
            "diff " + more + " " + lines,
            "common -c " + more + " " + lines,
            "merge -o - " + filter + " " + filter,
            "info " + filter,
            "verify " + filter,
            "demo --products 1000 --requests 100")) {
      failsOnAFullDisk(words.split(" "));
    }
    // What could not leave is not remembered.
    assertThat(Command.run("new", "-s", path("seen.wbird"), lines).out()).isEqualTo("alice\nbob\n");
  }

  private static void failsOnAFullDisk(String... words) {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]),
            new DataOut(full),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            Set.of(),
            Map.of());
    int code = Main.run(List.of(words), streams);
    assertThat(code).as(words[0]).isEqualTo(3);
    assertThat(err.toString(StandardCharsets.UTF_8).lines())
        .as("a summary of what was not written: " + words[0])
        .filteredOn(line -> !line.contains("seen.wbird: "))
        .first()
        .isEqualTo("x WB-130  stdout can't be written.");
  }
}
