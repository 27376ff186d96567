package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Builds, signatures, deltas and patches, stopped at each system call: the old or the new file. */
@Tag("once")
class ListCrashTest {
  private static final int ROUNDS = 2;

  @TempDir private Path folder;

  @BeforeAll
  static void needsStrace() {
    assumeTrue(
        Strace.works(), "strace is missing or may not trace: not tested is crashing in builds");
  }

  @ParameterizedTest
  @ValueSource(strings = {"map", "exact", "sign", "delta", "patch"})
  void atEveryCall_theOldOrTheNewFileIsThere(String how) throws Exception {
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
}
