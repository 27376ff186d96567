package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.Answer;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code save}, killed or failing at each of its system calls: the old or the new file, whole. */
class SaveCrashTest {
  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(), "strace is missing or may not trace: not tested is crashing in save");
  }

  @Test
  void atEveryCall_theOldOrTheNewFileIsThere() throws Exception {
    assertThat(lookEverywhere(5, "safe")).isZero();
  }

  /** The control: the test does see torn files where there are some. */
  @Test
  void atTheCallsOfANaiveSave_thereIsATornFile() throws Exception {
    assertThat(lookEverywhere(1, "naive")).isPositive();
  }

  /** Few, as the test above has seen the file after each call: a kill leaves the same. */
  @Test
  void killedAtSomeCalls_leavesTheOldOrTheNewFile() throws Exception {
    assertThat(killEverywhere(5, "safe", 40)).isZero();
  }

  @Tag("slow")
  @Test
  void killedAtThousandsOfCalls_leavesTheOldOrTheNewFile() throws Exception {
    assertThat(killEverywhere(60, "safe", 1)).isZero();
  }

  @Test
  void killedInANaiveSave_leavesATornFile() throws Exception {
    assertThat(killEverywhere(1, "naive", 2)).isPositive();
  }

  /** Stops a program after each call; returns how often the file was not whole. */
  private int lookEverywhere(int rounds, String how) throws Exception {
    Path path = freshFile(folder.resolve("look"));
    List<byte[]> contents = contents(rounds);
    int[] torn = {0};
    int stops =
        Strace.eachState(
            program(path, rounds, how),
            (where, output) -> torn[0] += isWhole(path, output, contents) ? 0 : 1);
    System.out.println("save, " + how + ": " + stops + " stops, " + torn[0] + " torn");
    assertThat(stops).isGreaterThan(8 * rounds);
    return torn[0];
  }

  /** Kills a program at every step-th of its calls; returns how often the file was not whole. */
  private int killEverywhere(int rounds, String how, int step) throws Exception {
    List<Strace.Point> points =
        Strace.points(
            program(freshFile(folder.resolve("count")), rounds, how), folder.resolve("log"));
    List<byte[]> contents = contents(rounds);
    CrashPoints result =
        CrashPoints.tryAll(
            points,
            step,
            folder,
            (point, own) -> {
              Path path = freshFile(own);
              ChildJvm.Result run = Strace.kill(point, program(path, rounds, how));
              if (run.exit() != 137) {
                return CrashPoints.Outcome.NOT_REACHED;
              }
              boolean whole = isWhole(path, run.output(), contents);
              return whole ? CrashPoints.Outcome.WHOLE : CrashPoints.Outcome.TORN;
            });
    System.out.println("save, " + how + ": " + result);
    assertThat(result.killed()).isGreaterThan(points.size() / step * 9 / 10);
    return result.torn();
  }

  private static List<byte[]> contents(int rounds) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      contents.add(GoldenFiles.bytes(SaveProgram.filter(round)));
    }
    return contents;
  }

  /** Whether a file is the one that was saved last, or the next. */
  private static boolean isWhole(Path path, String output, List<byte[]> contents)
      throws IOException {
    int saved = CrashPoints.lastNumber(output, "saved ");
    byte[] found = Files.readAllBytes(path);
    boolean whole =
        Arrays.equals(found, contents.get(saved))
            || (saved + 1 < contents.size() && Arrays.equals(found, contents.get(saved + 1)));
    if (whole) {
      openAndVerify(path);
    }
    return whole;
  }

  private static void openAndVerify(Path path) throws IOException {
    try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
      filter.verify();
    }
  }

  private static Path freshFile(Path own) throws IOException {
    Files.createDirectories(own);
    Path path = own.resolve("seen.wbird");
    SaveProgram.filter(0).save(path);
    return path;
  }

  private static List<String> program(Path path, int rounds, String how) {
    return ChildJvm.command(CrashPoints.OPTIONS, SaveProgram.class, path, rounds, how);
  }

  /** The JDK makes an IOException of each error in the same way, so they take turns. */
  @Test
  void anErrorAtAnyCall_isAnIoException_leavesTheOldFile_andNoTemporaryFile() throws Exception {
    failEverywhere(false);
  }

  @Tag("slow")
  @Test
  void eachErrorAtAnyCall_isAnIoException_leavesTheOldFile_andNoTemporaryFile() throws Exception {
    failEverywhere(true);
  }

  private void failEverywhere(boolean eachError) throws Exception {
    List<Strace.Point> points =
        Strace.points(
            program(freshFile(folder.resolve("count")), 1, "safe"), folder.resolve("log"));
    int renamed =
        points.indexOf(
            points.stream()
                .filter(point -> point.call().startsWith("rename"))
                .findFirst()
                .orElseThrow());
    int failed = 0;
    for (int i = 0; i < points.size(); i++) {
      Strace.Point point = points.get(i);
      if (point.call().equals("close") || point.arguments().startsWith("1, ")) {
        continue; // What a close says is not used, and the report of success is not ours.
      }
      boolean write = point.call().equals("write");
      List<String> errors = write ? List.of("ENOSPC") : List.of("EIO", "ENOSPC");
      for (String error : eachError ? errors : List.of(errors.get(i % errors.size()))) {
        Path own = folder.resolve("error-" + i + error);
        Path path = freshFile(own);
        Optional<ChildJvm.Result> result = Strace.fail(point, error, program(path, 1, "safe"), own);
        if (result.isEmpty()) {
          continue;
        }
        ChildJvm.Result run = result.get();
        String where = error + " at " + point + ": " + run.output();
        assertThat(run.exit()).as(where).isZero();
        assertThat(run.output()).as(where).contains("failed 1 with an IOException");
        // After the rename only the folder's fsync can fail: then the new file is there, whole.
        try (OpenFilter<Long> filter = Woodbird.open(path, Keys.longs())) {
          filter.verify();
          assertThat(filter.ask(0L) == Answer.MAYBE_HERE).as(where).isEqualTo(i <= renamed);
          assertThat(filter.ask(1L) == Answer.MAYBE_HERE).as(where).isEqualTo(i > renamed);
        }
        try (Stream<Path> files = Files.list(own)) {
          assertThat(files).as(where).containsExactly(path);
        }
        failed++;
      }
    }
    System.out.println("save: " + failed + " errors injected, all told");
    assertThat(failed).isGreaterThan(eachError ? 12 : 8);
  }
}
