package io.woodbird.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.woodbird.filter.bloom.DurableProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that really fills up: a small tmpfs that only the tested program sees. */
@Tag("jdk")
class FullDiskTest {
  private static final String MOUNT = "mount -t tmpfs -o size=%s tmpfs \"$0\" && exec \"$@\"";

  @TempDir private Path folder;

  @BeforeAll
  static void needsTmpfs() throws Exception {
    Path probe = Files.createTempDirectory("tmpfs");
    boolean works =
        ChildJvm.works(
            "unshare", "-m", "sh", "-c", String.format(MOUNT, "1m"), probe.toString(), "true");
    Files.delete(probe);
    assumeTrue(works, "a tmpfs can't be mounted here: not tested is a disk that fills up");
  }

  private String onDiskOf(String size, Class<?> main, Object... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "-m", "sh", "-c", String.format(MOUNT, size), folder.toString()));
    command.addAll(ChildJvm.command(ChildJvm.SHORT_LIVED, main, arguments));
    ChildJvm.Result result = ChildJvm.run(command);
    assertThat(result.exit()).as(result.output()).isZero();
    return result.output();
  }

  @Test
  void save_tells_leavesTheOldFile_andNoTemporaryFile() throws Exception {
    // Room for the filter of any round (320 to 450 KB), but not for two.
    String output =
        onDiskOf("650k", SaveProgram.class, folder.resolve("seen.wbird"), 3, "safe", "look");
    assertThat(output)
        .contains("saved 1\n")
        .containsPattern("failed 2 with an IOException: .*/seen\\.wbird: No space left on device")
        .contains("holds 1\n")
        .contains("left [seen.wbird]");
  }

  @Test
  void aDurableFilter_tells_takesNoMore_andKeepsWhatWasCheckpointed() throws Exception {
    for (String size : List.of("300k", "500k", "700k", "1m")) {
      String output = onDiskOf(size, DurableProgram.class, folder.resolve("seen.wbird"), 0, "fill");
      assertThat(output)
          .as(size)
          .contains("failed with an IOException")
          .contains("No space left on device")
          .contains("took no more")
          .containsPattern("safe \\d{4,} lost 0 ");
    }
  }
}
