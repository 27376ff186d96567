package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void help_isWhatComesWithoutArguments() {
    assertThat(run()).isZero();
    assertThat(text(out)).contains("woodbird demo");
    assertThat(text(err)).isEmpty();
  }

  @Test
  void unknownCommand_saysWhatThereIsAndExitsWithTwo() {
    assertThat(run("dmeo")).isEqualTo(2);
    assertThat(text(err)).contains("no such command: dmeo").contains("woodbird help");
    assertThat(text(out)).isEmpty();
  }

  @Test
  void demo_stopsTheAttackAndLosesNoVisitor() {
    assertThat(run("demo")).isZero();
    Matcher attack =
        Pattern.compile("with the filter +100,000 requests, +([0-9,]+) reached").matcher(text(out));
    assertThat(attack.find()).isTrue();
    // 0.1 % of 100,000 is 100; 5 sigma is 50.
    assertThat(Integer.parseInt(attack.group(1).replace(",", ""))).isLessThanOrEqualTo(150);
    assertThat(text(out)).contains("2,000 requests,   2,000 found").contains("42 is maybe here");
  }

  private int run(String... arguments) {
    return Main.run(
        arguments,
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
