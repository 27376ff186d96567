package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is read while lines are written to it has no end. */
final class SameFileTest {
  private static final String LINES = "alice\n".repeat(20_000);

  @TempDir Path folder;

  /** Runs a command in a shell, in which no file can become larger than half a megabyte. */
  private int shell(String command) throws IOException, InterruptedException {
    Files.writeString(folder.resolve("a"), LINES);
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String woodbird =
        java
            + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "
            + System.getProperty("java.class.path")
            + " io.woodbird.cli.Main ";
    return new ProcessBuilder(
            "bash", "-c", "ulimit -f 512; " + command.replace("woodbird ", woodbird))
        .directory(folder.toFile())
        .redirectError(folder.resolve("err").toFile())
        .start()
        .waitFor();
  }

  @Test
  void anInputThatIsAlsoTheOutput_isRefused() throws Exception {
    assumeThat(Files.exists(Path.of("/dev/stdout"))).isTrue();
    Files.writeString(folder.resolve("b"), "bob\n");
    assertThat(Command.run("build", folder.resolve("b").toString()).code()).isZero();
    for (String command :
        List.of(
            "woodbird check -v b.wbird --from a >> a",
            "woodbird check -v b.wbird < a >> a",
            "woodbird check -v --in b.wbird --from a >> a",
            "woodbird diff a b >> a")) {
      assertThat(shell(command)).as(command).isEqualTo(2);
      assertThat(Files.readString(folder.resolve("err"))).contains("WB-011", "is also the output.");
      assertThat(folder.resolve("a")).hasContent(LINES);
    }
    assertThat(shell("woodbird new -s seen.wbird -n 1000 a b >> b")).isEqualTo(2);
    assertThat(folder.resolve("b")).hasContent("bob\n");
    // All of B was read when the first line is written.
    assertThat(shell("woodbird diff a b >> b")).isZero();
    assertThat(folder.resolve("b")).hasContent("bob\n" + LINES);
  }
}
