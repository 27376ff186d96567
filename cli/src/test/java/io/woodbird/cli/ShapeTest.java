package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A filter of the same shape as a file, whether that was made for an error or for a size. */
final class ShapeTest {
  @TempDir Path folder;

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private String lines(String name, int from, int to) throws IOException {
    return Files.writeString(folder.resolve(name), numbers(from, to)).toString();
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  private static Command good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  @ParameterizedTest
  @CsvSource({
    "bloom, 9000, --fpp, 0.1%",
    "bloom, 9000, --budget, 10kB", // For the fpp of this one another shape has the same size.
    "bloom, 9000, --budget, 24321",
    "bloom, 10M, --budget, 17MB", // Its data begins at another place.
    "bloom-classic, 9000, --fpp, 1%",
    "bloom-classic, 9000, --budget, 10kB",
    "bloom-classic, 9000, --budget, 24321",
  })
  void like_makesWhatCanBeMerged_andNewGoesOnWithIt(
      String family, String keys, String size, String value) throws IOException {
    String eu = path("eu.wbird");
    String us = path("us.wbird");
    String all = path("all.wbird");
    String list = lines("eu", 0, 9000);
    good(Command.run("build", "--family", family, "-n", keys, size, value, list, "-o", eu));
    good(Command.run("build", "--like", eu, lines("us", 9000, 10_000), "-o", us));
    good(Command.run("merge", eu, us, "-o", all));
    String both = lines("all", 0, 10_000);
    good(Command.run("verify", all, "--contains", both));
    // What was signed has more bytes than its filter.
    good(Command.run("sign", "--new-key", path("key")));
    good(Command.run("sign", "-k", path("key"), eu));
    good(Command.run("build", "-f", "--like", eu, path("us"), "-o", us));
    good(Command.run("merge", all, us, "-o", path("more.wbird")));
    String passed = good(Command.reading(numbers(0, 10_000), "new", "-s", eu)).out();
    assertThat(numbers(9000, 10_000)).contains(passed.lines().toList());
    assertThat(passed.lines().count()).isBetween(1L, 1000L);
    good(Command.run("verify", eu, "--contains", both));
  }

  @Test
  void new_saysWhatDiffers() throws IOException {
    String state = path("seen.wbird");
    good(Command.run("build", "--budget", "10kB", lines("k", 0, 9000), "-o", state));
    Command other = Command.reading("a\n", "new", "-s", state, "-p", "1e-9");
    assertThat(other.err()).contains("WB-205", "was made with another -n or -p.");
    assertThat(other.code()).isEqualTo(2);
  }
}
