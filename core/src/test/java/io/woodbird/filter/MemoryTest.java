package io.woodbird.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.file.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where memory ends, a filter throws, and what it holds stays right. */
class MemoryTest {
  private static final List<String> OPTIONS =
      List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx24m");
  private static final Pattern RESULT =
      Pattern.compile("succeeded (-?\\d+) failed (\\d+) denied (\\d+) left (\\d+)");

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"growing, 4", "build, 300"})
  void noKeyIsLost(String what, int step) throws Exception {
    run(what, 5, step);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "growing, 1",
    "growing-with-removals, 1",
    "merge, 1",
    "build, 10",
    "build-to, 10",
    "read, 2",
    "open, 10",
    "rebuild, 4"
  })
  void noKeyIsLost_whereverMemoryEnds(String what, int step) throws Exception {
    run(what, 300, step);
  }

  private void run(String what, int rounds, int step) throws Exception {
    ChildJvm.Result result =
        ChildJvm.run(ChildJvm.command(OPTIONS, MemoryProgram.class, what, rounds, step, folder));
    Matcher matcher = RESULT.matcher(result.output());
    assertThat(matcher.find()).as(result.output()).isTrue();
    System.out.println(what + ": " + matcher.group());
    assertThat(matcher.group(2)).as("rounds in which memory ended").isNotEqualTo("0");
    assertThat(matcher.group(3)).as(result.output()).isEqualTo("0");
    assertThat(matcher.group(4)).as("temporary files").isEqualTo("0");
    assertThat(result.exit()).as(result.output()).isZero();
  }
}
