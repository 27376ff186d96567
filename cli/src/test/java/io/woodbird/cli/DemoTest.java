package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The demo's story is true, and can be read by people and by programs. */
final class DemoTest {
  private static final String[] SMALL = {
    "demo", "--products", "20k", "--requests", "60k", "--seed", "7"
  };

  private static String[] small(String... more) {
    String[] words = java.util.Arrays.copyOf(SMALL, SMALL.length + more.length);
    System.arraycopy(more, 0, words, SMALL.length, more.length);
    return words;
  }

  private static long number(String pattern, String text) {
    Matcher found = Pattern.compile(pattern).matcher(text);
    assertThat(found.find()).as("%s in %s", pattern, text).isTrue();
    return Long.parseLong(found.group(1).replace(",", ""));
  }

  @Test
  void theAttack_reachesTheDatabaseWithoutTheGuardOnly() {
    Command command = Command.run(small());
    assertThat(command.code()).isZero();
    assertThat(command.err()).isEmpty();
    String out = command.out();
    assertThat(number("reached the database +([0-9,]+)", out)).isEqualTo(60_000);
    // 0.1 % of 60,000 is 60; 5 sigma is 39.
    assertThat(number("reached the database +60,000 +([0-9,]+)", out)).isLessThanOrEqualTo(99);
    assertThat(out)
        .contains("+ real ids stopped  0 of 20,000")
        .contains("+ rows of others    0 of 1,000 denied")
        .contains("woodbird demo --seed 7");
    assertThat(out.lines()).allMatch(line -> line.length() <= 92);
    assertThat(out).isASCII();
  }

  @Test
  void theCounts_followFromTheSeed() {
    String first = Command.run(small("--json")).out();
    String again = Command.run(small("--json")).out();
    for (String name : new String[] {"\"queries\"", "\"fppSeen\"", "\"filterBytes\""}) {
      Matcher one = Pattern.compile(name + ":([0-9.E-]+)").matcher(first);
      Matcher other = Pattern.compile(name + ":([0-9.E-]+)").matcher(again);
      while (one.find()) {
        assertThat(other.find()).isTrue();
        assertThat(one.group(1)).isEqualTo(other.group(1));
      }
    }
    assertThat(number("\"off\":\\{\"requests\":60000,\"queries\":([0-9]+)", first))
        .isEqualTo(60_000);
    assertThat(first)
        .contains("\"realAsked\":20000,\"realStopped\":0")
        .contains("\"strangersDenied\":0");
  }

  @Test
  void colours_areForTerminalsThatWantThem() {
    String[] tiny = {"demo", "--products", "1k", "--requests", "2k", "--seed", "7"};
    Map<String, String> utf8 = Map.of("LANG", "C.UTF-8");
    String drawn = Command.with(new byte[0], Set.of("out"), utf8, tiny).out();
    assertThat(drawn).contains("\u001b[31m").contains("\u001b[32m").contains("\u2713");
    Map<String, String> plain = Map.of("LANG", "C.UTF-8", "NO_COLOR", "1");
    assertThat(Command.with(new byte[0], Set.of("out"), plain, tiny).out())
        .doesNotContain("\u001b")
        .contains("\u2588");
    assertThat(Command.with(new byte[0], Set.of("err"), utf8, tiny).out()).doesNotContain("\u001b");
  }

  @Test
  void moreRequestsThanMissingIds_areRefused() {
    Command command = Command.run("demo", "--products", "10", "--requests", "61");
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("--requests must be at most 60: 61");
    assertThat(Command.run("demo", "--products", "1e9").err()).contains("at most 10,000,000");
  }
}
