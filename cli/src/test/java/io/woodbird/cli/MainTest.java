package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  @Test
  void demo_stopsTheAttackAndLosesNoVisitor() {
    Command command = Command.run("demo");
    assertThat(command.code()).isZero();
    Matcher attack =
        Pattern.compile("with the filter +100,000 requests, +([0-9,]+) reached")
            .matcher(command.out());
    assertThat(attack.find()).isTrue();
    // 0.1 % of 100,000 is 100; 5 sigma is 50.
    assertThat(Integer.parseInt(attack.group(1).replace(",", ""))).isLessThanOrEqualTo(150);
    assertThat(command.out())
        .contains("2,000 requests,   2,000 found")
        .contains("42 is maybe here");
  }
}
