package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The testkit sees what a user sees: nothing that core keeps to itself. */
final class ImportsTest {
  private static final Pattern OURS = Pattern.compile("\\bio\\.woodbird((\\.[a-z]+)*)\\b");

  private static final List<String> INTERNAL =
      List.of(
          "io.woodbird.layout",
          "io.woodbird.words",
          "io.woodbird.filter",
          "io.woodbird.file",
          "io.woodbird.time");

  private static List<String> packagesOf(String source) {
    return OURS.matcher(source).results().map(MatchResult::group).distinct().toList();
  }

  private static boolean isInternal(String name) {
    return INTERNAL.stream().anyMatch(own -> name.equals(own) || name.startsWith(own + "."));
  }

  @Test
  void noInternalPackageIsUsed() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        if (!file.endsWith("ImportsTest.java")) {
          assertThat(packagesOf(Files.readString(file)))
              .as(file.toString())
              .isNotEmpty()
              .noneMatch(ImportsTest::isInternal);
        }
      }
    }
  }

  @Test
  void anInternalPackageIsNoticed() {
    assertThat(packagesOf("import io.woodbird.Filter;\nimport io.woodbird.layout.Reduce;"))
        .containsExactly("io.woodbird", "io.woodbird.layout")
        .anyMatch(ImportsTest::isInternal);
    assertThat(isInternal("io.woodbird.filter.bloom")).isTrue();
    assertThat(isInternal("io.woodbird.filters")).isFalse();
  }
}
