package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds, signatures, deltas and patches, stopped at each system call: the old or the new file. */
class ListCrashTest {
  private static final int ROUNDS = 2;

  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(), "strace is missing or may not trace: not tested is crashing in builds");
  }

  /** One of each way to write a file: piece by piece, a copy with a section, a stream. */
  @ParameterizedTest
  @ValueSource(strings = {"map", "patch", "edit"})
  void atEveryCall_theOldOrTheNewFileIsThere(String how) throws Exception {
    stopEverywhere(how);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"exact", "sign", "delta", "difference"})
  void atEveryCall_theOldOrTheNewFileIsThere_whereTheWayIsOneOfTheOthers(String how)
      throws Exception {
    stopEverywhere(how);
  }

  private void stopEverywhere(String how) throws Exception {
    ListProgram.prepare(ROUNDS, folder);
    List<byte[]> contents = new ArrayList<>();
    for (int round = 0; round <= ROUNDS; round++) {
      Path copy = folder.resolve("copy");
      ListProgram.write(how, round, folder, copy);
      contents.add(Files.readAllBytes(copy));
    }
    Path path = Files.createDirectory(folder.resolve("own")).resolve("list.wbird");
    Files.write(path, contents.get(0));
    int[] torn = {0};
    int stops =
        Strace.eachState(
            ChildJvm.command(CrashPoints.OPTIONS, ListProgram.class, how, ROUNDS, folder, path),
            (where, output) -> torn[0] += isWhole(path, output, contents) ? 0 : 1);
    System.out.println(how + ": " + stops + " stops, " + torn[0] + " torn");
    assertThat(torn[0]).isZero();
    assertThat(stops).isGreaterThan(8 * ROUNDS);
    assertThat(path).hasBinaryContent(contents.get(ROUNDS));
  }

  /** Whether a file is the one that was written last, or the next. */
  private static boolean isWhole(Path path, String output, List<byte[]> contents)
      throws IOException {
    int saved = CrashPoints.lastNumber(output, "saved ");
    byte[] found = Files.readAllBytes(path);
    return Arrays.equals(found, contents.get(saved))
        || (saved + 1 < contents.size() && Arrays.equals(found, contents.get(saved + 1)));
  }

  @Test
  void anErrorAtEveryFifthCall_isAnIoException_leavesTheOldFile_andNothingOpen() throws Exception {
    failEverywhere("patch", 5);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(strings = {"map", "exact", "sign", "delta", "patch", "difference", "edit"})
  void anErrorAtAnyCall_isAnIoException_leavesTheOldFile_andNothingOpen(String how)
      throws Exception {
    failEverywhere(how, 1);
  }

  private void failEverywhere(String how, int every) throws Exception {
    Path all = Files.createDirectory(folder.resolve("all"));
    ListProgram.prepare(1, all);
    List<byte[]> contents = new ArrayList<>();
    for (int round = 0; round <= 1; round++) {
      Path copy = folder.resolve("copy");
      ListProgram.write(how, round, all, copy);
      contents.add(Files.readAllBytes(copy));
    }
    List<Strace.Point> points =
        Strace.pointsWithReads(
            program(how, all, old(all, "count", contents)), folder.resolve("log"));
    int renamed = points.size();
    int failed = 0;
    for (int i = 0; i < points.size(); i++) {
      Strace.Point point = points.get(i);
      renamed = point.call().startsWith("rename") ? i : renamed;
      if (i % every != 0 || point.call().equals("close") || point.arguments().startsWith("1, ")) {
        continue; // What a close says is not used, and the report of success is not ours.
      }
      Path path = old(all, "error-" + i, contents);
      Optional<ChildJvm.Result> result =
          Strace.fail(
              point,
              point.call().contains("write") ? "ENOSPC" : "EIO",
              program(how, all, path),
              all);
      if (result.isEmpty()) {
        continue;
      }
      String where = how + ", " + point + ": " + result.get().output();
      assertThat(result.get().output())
          .as(where)
          .contains("failed 1 with an IOException", "open [][]", "threads 0");
      // After the rename only the folder's fsync can fail: then the new file is there, whole.
      assertThat(path).as(where).hasBinaryContent(contents.get(i > renamed ? 1 : 0));
      try (Stream<Path> files = Files.list(path.getParent())) {
        assertThat(files).as(where).containsExactly(path);
      }
      failed++;
    }
    System.out.println(how + ": " + failed + " errors injected, all told");
    assertThat(failed).isGreaterThan(10 / every);
  }

  /** A folder of its own with the old file. */
  private static Path old(Path all, String name, List<byte[]> contents) throws IOException {
    Path path = Files.createDirectory(all.resolve(name)).resolve("list.wbird");
    return Files.write(path, contents.get(0));
  }

  private static List<String> program(String how, Path made, Path path) {
    return ChildJvm.command(CrashPoints.OPTIONS, ListProgram.class, how, 1, made, path);
  }
}
