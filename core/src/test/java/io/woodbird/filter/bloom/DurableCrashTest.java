package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.DurableFilter;
import io.woodbird.file.ChildJvm;
import io.woodbird.file.CrashPoints;
import io.woodbird.file.Strace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A durable filter, killed or failing at each of its system calls: no checkpoint is lost. */
class DurableCrashTest {
  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(), "strace is missing or may not trace: not tested is crashing in checkpoint");
  }

  @Test
  void atEveryCall_whatWasCheckpointedIsThere() throws Exception {
    Path own = Files.createDirectories(folder.resolve("look"));
    int stops =
        Strace.eachState(
            program(own.resolve("seen.wbird"), 9),
            (where, output) -> {
              Path copy = Files.createDirectory(folder.resolve("copy"));
              CrashPoints.copy(own, copy);
              int safe = CrashPoints.lastNumber(output, "checkpoint ");
              assertThat(checkpointsAreThere(copy.resolve("seen.wbird"), safe, where))
                  .as(where)
                  .isTrue();
              CrashPoints.delete(copy);
            });
    System.out.println("checkpoint, fold and close: " + stops + " stops, all is there");
    assertThat(stops).isGreaterThan(100);
  }

  /** Few, as the test above has seen what is there after each call: a kill leaves the same. */
  @Test
  void killedAtSomeCalls_keepsWhatWasCheckpointed() throws Exception {
    killEverywhere(9, 40);
  }

  @Tag("slow")
  @Test
  void killedAtThousandsOfCalls_keepsWhatWasCheckpointed() throws Exception {
    killEverywhere(120, 1);
  }

  private void killEverywhere(int steps, int every) throws Exception {
    Path count = Files.createDirectories(folder.resolve("count"));
    List<Strace.Point> points =
        Strace.points(program(count.resolve("seen.wbird"), steps), folder.resolve("log"));
    assertThat(points).as("folds").anyMatch(point -> point.call().startsWith("rename"));
    CrashPoints result =
        CrashPoints.tryAll(
            points,
            every,
            folder,
            (point, own) -> {
              Path path = own.resolve("seen.wbird");
              ChildJvm.Result run = Strace.kill(point, program(path, steps));
              if (run.exit() != 137) {
                return CrashPoints.Outcome.NOT_REACHED;
              }
              int safe = CrashPoints.lastNumber(run.output(), "checkpoint ");
              return checkpointsAreThere(path, safe, point.toString())
                  ? CrashPoints.Outcome.WHOLE
                  : CrashPoints.Outcome.TORN;
            });
    System.out.println("checkpoint, fold and close: " + result);
    assertThat(result.killed()).isGreaterThan(points.size() / every * 9 / 10);
    assertThat(result.torn()).as(result.toString()).isZero();
  }

  private static List<String> program(Path path, int steps) {
    return ChildJvm.command(CrashPoints.OPTIONS, DurableProgram.class, path, steps, "checkpoint");
  }

  /** Opens the filter twice, as after a crash and as after a clean end. */
  static boolean checkpointsAreThere(Path path, int steps, String where) throws IOException {
    try (DurableFilter<Long> filter = DurableProgram.builder().file(path)) {
      if (lost(filter, steps) > 0) {
        return false;
      }
    }
    try (Stream<Path> files = Files.list(path.getParent())) {
      assertThat(files).as(where).noneMatch(DurableCrashTest::isUnfinished);
    }
    try (DurableFilter<Long> filter = DurableProgram.builder().file(path)) {
      assertThat(filter.recovery().clean()).as(where).isTrue();
      return lost(filter, steps) == 0;
    }
  }

  /** A temporary file of this filter; that of the warm-up is another matter. */
  private static boolean isUnfinished(Path file) {
    return file.getFileName().toString().matches("\\.seen.*\\.tmp");
  }

  private static int lost(DurableFilter<Long> filter, int steps) {
    int lost = 0;
    for (int step = 1; step <= steps; step++) {
      for (int i = 0; i < DurableProgram.hashes(step); i += 3) {
        lost += filter.mightContainHash(DurableProgram.hash(step, i)) ? 0 : 1;
      }
    }
    return lost;
  }

  /**
   * About 110 calls can fail; this tries 22. Five in a row that hide their error are found for
   * certain. One place in the code, which each of the four steps comes to, is found in 59 of 100
   * cases (1 - 0.8^4), and by the slow test in all.
   */
  @Test
  void anErrorAtEveryFifthCall_isAnIoException_andKeepsWhatWasCheckpointed() throws Exception {
    failEverywhere(5);
  }

  @Tag("slow")
  @Test
  void anErrorAtAnyCall_isAnIoException_andKeepsWhatWasCheckpointed() throws Exception {
    failEverywhere(1);
  }

  private void failEverywhere(int every) throws Exception {
    int steps = 4;
    Path count = Files.createDirectories(folder.resolve("count"));
    List<Strace.Point> points =
        Strace.points(program(count.resolve("seen.wbird"), steps), folder.resolve("log"));
    CrashPoints result =
        CrashPoints.tryAll(
            points,
            every,
            folder,
            (point, own) -> {
              if (point.call().equals("close") || point.arguments().startsWith("1, ")) {
                return CrashPoints.Outcome.NOT_REACHED;
              }
              Path path = own.resolve("seen.wbird");
              Optional<ChildJvm.Result> failed =
                  Strace.fail(point, "EIO", program(path, steps), own);
              if (failed.isEmpty()) {
                return CrashPoints.Outcome.NOT_REACHED;
              }
              ChildJvm.Result run = failed.get();
              String where = point + ": " + run.output();
              assertThat(run.exit()).as(where).isZero();
              assertThat(run.output()).as(where).contains("failed with an IOException");
              int safe = CrashPoints.lastNumber(run.output(), "checkpoint ");
              try (Stream<Path> files = Files.list(own)) {
                assertThat(files).as(where).noneMatch(DurableCrashTest::isUnfinished);
              }
              return checkpointsAreThere(path, safe, where)
                  ? CrashPoints.Outcome.WHOLE
                  : CrashPoints.Outcome.TORN;
            });
    System.out.println("checkpoint, fold and close: " + result.killed() + " errors injected");
    assertThat(result.killed()).isGreaterThan(30 / every);
    assertThat(result.torn()).as(result.toString()).isZero();
  }
}
