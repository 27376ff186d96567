package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.KeyForm;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The forms of keys: how a line is cut, and what is done to the key. */
final class KeyFormsTest {
  /** As downloaded: upper case, a count, CR LF. */
  private static final String PWNED =
      "000000005AD76BD555C1D6D771DE417A4B87E4B4:10\r\n"
          + "00000000A8DAE4228F821FB418F59826079BF368:4\r\n";

  @TempDir Path folder;

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static Command good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  private static void fails(Command command, Problem problem, String text) {
    assertThat(command.err()).contains(problem.code()).contains(text);
    assertThat(command.code()).isEqualTo(problem.exitCode());
  }

  @Test
  void aListOfChecksumsAndCounts_worksAsItComes() throws IOException {
    String file = path("pwned.wbird");
    Command build =
        good(
            Command.reading(
                PWNED, "build", "--delimiter", ":", "--hex", "--family", "frozen", "-o", file));
    assertThat(build.err()).doesNotContain("warn");
    assertThat(Command.run("info", file).out()).contains("bytes:rapidhash3+hex, seed");
    // The file says how its keys are written, so that check needs no option.
    for (String key :
        new String[] {
          "000000005AD76BD555C1D6D771DE417A4B87E4B4", "00000000a8dae4228f821fb418f59826079bf368"
        }) {
      assertThat(Command.run("check", file, key).out()).isEqualTo("maybe here\n");
    }
    assertThat(Command.reading(PWNED, "check", "--delimiter", ":", file).out()).isEqualTo(PWNED);
    assertThat(Command.run("verify", file, "--probes", "1000").code()).isZero();
    try (OpenFilter<String> filter = Woodbird.open(Path.of(file), Keys.strings(KeyForm.HEX))) {
      assertThat(filter.mightContain("000000005ad76bd555c1d6d771de417a4b87e4b4")).isTrue();
    }
    fails(Command.run("check", file, "0000" + "zz"), Problem.BAD_KEY, "\"0000zz\" is not hexad");
    fails(Command.run("check", file, "000"), Problem.BAD_KEY, "\"000\" is not hexadecimal.");
  }

  @Test
  void lowerCase_isThatOfAsciiAndInTheFile() {
    String file = path("mail.wbird");
    good(
        Command.reading(
            "Ann@Example.org\n\u00c4\n", "build", "--lower", "-p1e-6", "--seed=7", "-o", file));
    Command check =
        Command.run("check", file, "ANN@EXAMPLE.ORG", "ann@example.org", "\u00c4", "\u00e4");
    assertThat(check.out().lines().map(line -> line.split("\t")[0]))
        .containsExactly("maybe here", "maybe here", "maybe here", "not here");
    String secret = path("secret");
    String hidden = path("hidden.wbird");
    good(Command.with("x".repeat(16).getBytes(StandardCharsets.UTF_8), "build", "-o", path("s")));
    write(secret, "0123456789abcdef");
    good(Command.reading("A\n", "build", "--lower", "--secret", secret, "-o", hidden));
    good(Command.run("check", "--secret", secret, hidden, "a"));
    fails(Command.run("check", hidden, "a"), Problem.OTHER_KEYS, "+lower");
    // What is added has the form of the file.
    good(Command.run("add", file, "BOB"));
    good(Command.run("check", file, "bob"));
    good(Command.reading("A\na\n", "new", "-s", path("seen"), "--lower"));
    assertThat(Command.reading("a\nB\n", "new", "-s", path("seen")).out()).isEqualTo("B\n");
    good(Command.reading("a\n", "new", "-s", path("seen"), "--lower"));
    // A state with other keys would call "A" new, which is "a" by the option.
    good(Command.reading("a\n", "new", "-s", path("exact")));
    for (String form : new String[] {"--lower", "--url", "--hex", "--key=int"}) {
      fails(
          Command.reading("A\n", "new", "-s", path("exact"), form),
          Problem.OTHER_FILTER,
          "has keys of another form");
    }
    good(Command.reading("a\n", "new", "-s", path("exact"), "--key=bytes"));
  }

  private static void write(String file, String text) {
    try {
      Files.writeString(Path.of(file), text);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void urls_areOneInTheirNormalForm() {
    String file = path("urls.wbird");
    good(
        Command.reading(
            "HTTP://Example.COM/a/../%7euser\n",
            "build", "--url", "-p1e-6", "--seed=7", "-o", file));
    assertThat(Command.run("check", file, "http://example.com/~user").out())
        .isEqualTo("maybe here\n");
    assertThat(Command.run("check", file, "http://example.com/~USER").out())
        .isEqualTo("not here\n");
  }

  @Test
  void aDelimiter_choosesAField() {
    String file = path("f.wbird");
    good(
        Command.reading("a;b;c\nd;e;f\n", "build", "--delimiter", ";", "--field", "2", "-o", file));
    assertThat(Command.run("check", file, "b", "e").code()).isZero();
    String named = path("n.wbird");
    good(
        Command.reading(
            "id|\"name\ning\nx|y\n", "build", "--delimiter=|", "--field", "id", "-o", named));
    assertThat(Command.run("check", named, "x", "ing").code()).isZero();
    Command short1 =
        Command.reading("a;b\nc\n", "build", "--delimiter", ";", "--field", "2", "-o", path("s"));
    fails(short1, Problem.NO_FIELD, "line 2: it has 1 field");
    for (String bad : new String[] {"", "ab", "\n", "\u00e9"}) {
      fails(
          Command.reading("a\n", "build", "--delimiter", bad, "-o", path("x")),
          Problem.BAD_VALUE,
          "is not one character of ASCII.");
    }
  }

  @Test
  void formsThatExcludeEachOther_areRefused() {
    for (String[] two :
        new String[][] {
          {"--hex", "--lower"},
          {"--url", "--lower"},
          {"--hex", "--key=int"},
          {"--csv", "--delimiter=:"}
        }) {
      fails(
          Command.reading("a\n", "build", two[0], two[1], "-o", path("x")),
          Problem.CONFLICT,
          "exclude each other.");
    }
  }
}
