package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class NewTest {
  @TempDir Path folder;

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  @Test
  void lines_passOnceOverAllRuns() {
    String state = folder.resolve("seen.wbird").toString();
    int from = 0;
    for (String checkpoint : List.of("1", "7", "100k")) {
      from += 100_000;
      String twice = numbers(from, from + 3000) + numbers(from, from + 4000);
      Command first =
          Command.reading(
              twice, "new", "-s", state, "-n", "100k", "-p", "1e-9", "--checkpoint", checkpoint);
      assertThat(first.code()).as(first.err()).isZero();
      assertThat(first.out()).isEqualTo(numbers(from, from + 4000));
      assertThat(first.err()).contains("7,000 lines: 4,000 new, 3,000 seen before");
      Command again = Command.reading(numbers(from + 3900, from + 4100), "new", "-s", state);
      assertThat(again.out()).isEqualTo(numbers(from + 4000, from + 4100));
    }
    assertThat(Command.run("info", state).out()).contains("of 100,000 planned");
    Command json = Command.reading("x\n", "new", "-s", state, "--json");
    assertThat(json.err())
        .contains("\"schema\":\"woodbird.new/1\"")
        .contains("\"new\":1,\"seen\":0");
  }

  @Test
  void aFullState_isSaidAndStrictStops() {
    String state = folder.resolve("seen.wbird").toString();
    Command full = Command.reading(numbers(0, 5000), "new", "-s", state, "-n", "1000", "-p", "1%");
    assertThat(full.code()).isZero();
    assertThat(full.err()).contains("remembers more lines than planned (1,000)");
    String other = folder.resolve("other.wbird").toString();
    Command strict =
        Command.reading(
            numbers(0, 5000),
            "new",
            "-s",
            other,
            "-n",
            "1000",
            "-p",
            "1%",
            "--strict",
            "--checkpoint",
            "100");
    assertThat(strict.code()).isEqualTo(5);
    // What was passed is remembered: it does not come again.
    Command rest = Command.reading(strict.out(), "new", "-s", other);
    assertThat(rest.out()).isEmpty();
  }

  @Test
  void killedAtRandomPoints_noLineIsLost() throws Exception {
    killAndResume(4, 60_000);
  }

  @Test
  @Tag("slow")
  void killedAHundredTimes_noLineIsLost() throws Exception {
    killAndResume(100, 400_000);
  }

  /**
   * Runs, kills with SIGKILL, and runs again with the same input; in the end all lines are there,
   * and no more came twice than the checkpoints allow. The fpp is so low that a line taken for seen
   * by mistake is not expected in a thousand years of tests.
   */
  private void killAndResume(int kills, int lines) throws Exception {
    int checkpoint = 300;
    Path input = folder.resolve("input.txt");
    Files.writeString(input, numbers(0, lines));
    SplittableRandom random = new SplittableRandom(kills);
    List<String> passed = new ArrayList<>();
    int half = 0;
    for (int round = 0; round <= kills; round++) {
      Path out = folder.resolve("out" + round);
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-cp",
                  System.getProperty("java.class.path"),
                  "io.woodbird.cli.Main",
                  "new",
                  "--state",
                  folder.resolve("seen.wbird").toString(),
                  "-n",
                  Integer.toString(lines),
                  "-p",
                  "1e-12",
                  "--checkpoint",
                  Integer.toString(checkpoint),
                  input.toString())
              .redirectOutput(out.toFile())
              .redirectError(folder.resolve("err" + round).toFile())
              .start();
      int left = lines - passed.size();
      boolean last = round == kills;
      if (!last) {
        waitForOutput(process, out, random.nextLong(1 + 8L * left / (kills - round)));
        process.destroyForcibly();
      }
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
      String said = Files.readString(folder.resolve("err" + round));
      assertThat(process.exitValue()).as(said).isEqualTo(last ? 0 : process.exitValue());
      List<String> whole = wholeLines(out);
      half += !last && process.exitValue() != 0 && !whole.isEmpty() ? 1 : 0;
      passed.addAll(whole);
      Files.delete(out);
    }
    assertThat(problem(passed, lines, kills * checkpoint)).isEmpty();
    assertThat(half).as("kills that came in the middle").isGreaterThanOrEqualTo(kills / 2);
    // The control: a lost line and a line too many are noticed.
    assertThat(problem(passed.subList(1, passed.size()), lines, kills * checkpoint))
        .isEqualTo(passed.lastIndexOf(passed.get(0)) > 0 ? "" : "lost: 1");
    List<String> twice = new ArrayList<>(passed);
    twice.addAll(passed.subList(0, kills * checkpoint + 1));
    assertThat(problem(twice, lines, kills * checkpoint)).startsWith("repeated: ");
  }

  /** What is wrong with the lines that were passed, or nothing. */
  private static String problem(List<String> passed, int lines, int mayRepeat) {
    Set<String> distinct = new HashSet<>(passed);
    int repeated = passed.size() - distinct.size();
    return distinct.size() < lines
        ? "lost: " + (lines - distinct.size())
        : repeated > mayRepeat ? "repeated: " + repeated : "";
  }

  /** Waits until so many bytes were passed, or the process has ended. */
  private static void waitForOutput(Process process, Path out, long bytes) throws Exception {
    while (process.isAlive() && Files.size(out) < bytes) {
      Thread.sleep(1);
    }
  }

  /** The lines that have their end; what a kill cut off comes again. */
  private static List<String> wholeLines(Path out) throws IOException {
    String text = Files.readString(out, StandardCharsets.UTF_8);
    return text.substring(0, text.lastIndexOf('\n') + 1).lines().toList();
  }
}
