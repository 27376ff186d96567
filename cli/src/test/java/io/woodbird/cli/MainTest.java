package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class MainTest {
  @Test
  void help_isWhatComesWithoutArguments() {
    Command command = Command.run();
    assertThat(command.code()).isZero();
    assertThat(command.out()).contains("woodbird demo").contains("start here");
    assertThat(command.err()).isEmpty();
    assertThat(Command.run("--help").out()).isEqualTo(command.out());
  }

  @Test
  void version_isOneLine() {
    assertThat(Command.run("--version").out()).matches("woodbird [^\n]+\n");
  }
}
