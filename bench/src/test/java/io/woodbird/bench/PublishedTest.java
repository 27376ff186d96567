package io.woodbird.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Compares the files of docs/benchmarks with what this code makes of the same results. */
class PublishedTest {
  private static final Path PUBLISHED = Path.of("..", "docs", "benchmarks");

  @Test
  void results_areReadAndWrittenBackByteForByte() throws IOException {
    for (Path file : results()) {
      String text = Files.readString(file);
      Map<?, ?> read = JsonMapper.shared().readValue(text, Map.class);
      assertThat(Json.of(strings(read))).as("%s", file).isEqualTo(text);
    }
  }

  @Test
  void chartsAndPage_areThoseThatTheResultsGive(@TempDir Path folder) throws IOException {
    for (Path file : results()) {
      Files.copy(file, folder.resolve(file.getFileName()));
    }
    List<String> charts = Charts.draw(folder);
    assertThat(charts).containsExactly("questions", "space", "strings", "build", "redis");
    for (String chart : charts) {
      assertThat(folder.resolve(chart + ".svg"))
          .as("bench/run --charts draws it again")
          .hasSameTextualContentAs(PUBLISHED.resolve(chart + ".svg"));
    }
    assertThat(Page.of(Published.all(folder), charts))
        .isEqualTo(Files.readString(PUBLISHED.resolve("README.md")));
  }

  private static List<Path> results() throws IOException {
    try (Stream<Path> files = Files.list(PUBLISHED)) {
      List<Path> results = files.filter(file -> file.toString().endsWith(".json")).toList();
      assertThat(results).hasSizeGreaterThan(10);
      return results;
    }
  }

  @SuppressWarnings("unchecked") // the names in a JSON object are Strings
  private static Map<String, ?> strings(Map<?, ?> map) {
    return (Map<String, ?>) map;
  }
}
