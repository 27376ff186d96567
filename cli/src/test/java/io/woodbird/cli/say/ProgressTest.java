package io.woodbird.cli.say;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The progress line on terminals of any width. */
final class ProgressTest {
  @ParameterizedTest
  @CsvSource({"40, 40", "1, 1", "'', 2147483647", "0, 2147483647", "x, 2147483647"})
  void width_isWhatTheLauncherSays(String said, int columns) {
    assertThat(Progress.columns(said)).isEqualTo(columns);
  }

  @Test
  void line_staysInOneRow() {
    String line = "reading [####................] 20 %  1,000,000 lines";
    assertThat(Progress.fitted(line, Integer.MAX_VALUE)).isEqualTo(line);
    assertThat(Progress.fitted(line, line.length() + 1)).isEqualTo(line);
    assertThat(Progress.fitted(line, line.length())).hasSize(line.length() - 1);
    assertThat(Progress.fitted(line, 8)).isEqualTo("reading");
    assertThat(Progress.fitted(line, 1)).isEmpty();
  }
}
