package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How lines and keys reach {@code check} and the others, and what is said of them. */
final class CheckTest {
  private static final String MARK = "\ufeff";

  @TempDir Path folder;
  private String filter = "";

  @BeforeEach
  void build() {
    filter = path("f.wbird");
    Command command =
        Command.reading("alice\nbob\n", "build", "-p", "1e-9", "--seed", "1", "-o", filter);
    assertThat(command.code()).as(command.err()).isZero();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void aDash_readsStdin() {
    Command command = Command.reading("alice\neve\n", "check", filter, "-");
    assertThat(command.out()).isEqualTo("alice\n");
    assertThat(command.err()).isEqualTo("2 lines: 1 maybe here, 1 not here\n");
    assertThat(command.code()).isZero();
    Command among = Command.reading("alice\n", "check", filter, "-", "bob");
    assertThat(among.err()).contains("WB-008  - is stdin, and can't stand among keys.");
    assertThat(among.code()).isEqualTo(Problem.CONFLICT.exitCode());
    assertThat(among.out()).isEmpty();
  }

  @Test
  void keysAndAFileOfKeys_excludeEachOther() throws IOException {
    Command command = Command.run("check", filter, "alice", "--from", file("k", "eve\n"));
    assertThat(command.err()).contains("WB-008  --from and KEY exclude each other.");
    assertThat(command.out()).isEmpty();
  }

  @Test
  void quiet_silencesTheSummaryAndKeepsTheData() throws IOException {
    Command lines = Command.reading("alice\neve\n", "check", "-q", filter);
    assertThat(lines.out()).isEqualTo("alice\n");
    assertThat(lines.err()).isEmpty();
    assertThat(Command.reading("alice\neve\n", "check", "-qc", filter).out()).isEqualTo("1\n");
    assertThat(Command.run("check", "-q", filter, "eve").out()).isEqualTo("not here\n");
    assertThat(Command.run("check", "-c", filter, "alice", "bob", "eve").out()).isEqualTo("2\n");
    assertThat(Command.run("check", "-vc", filter, "alice", "bob", "eve").out()).isEqualTo("1\n");
    // The same of every verb that passes lines.
    String a = file("a", "alice\neve\n");
    for (String[] words :
        new String[][] {
          {"diff", "-q", a, file("b", "alice\n")},
          {"common", "-q", a, file("c", "eve\n")},
          {"new", "-q", "-s", path("seen.wbird"), file("d", "eve\n")}
        }) {
      Command command = Command.run(words);
      assertThat(command.out()).isEqualTo("eve\n");
      assertThat(command.err()).isEmpty();
    }
  }

  @Test
  void silent_saysItAllByTheExitCode() {
    for (String[] words :
        new String[][] {{"alice\n", "0"}, {"eve\nalice\n", "0"}, {"eve\n", "10"}, {"", "10"}}) {
      Command command = Command.reading(words[0], "check", "-s", filter);
      assertThat(command.code()).as(words[0]).isEqualTo(Integer.parseInt(words[1]));
      assertThat(command.out() + command.err()).isEmpty();
    }
    assertThat(Command.run("check", "-s", filter, "alice", "bob").code()).isZero();
    Command missing = Command.run("check", "-s", filter, "alice", "eve");
    assertThat(missing.code()).isEqualTo(ExitCode.NO);
    assertThat(missing.out() + missing.err()).isEmpty();
  }

  @Test
  void aSecondFilterAmongTheKeys_getsAHint() {
    Command command = Command.run("check", filter, "other.wbird", "alice");
    assertThat(command.out()).isEqualTo("not here\tother.wbird\nmaybe here\talice\n");
    assertThat(command.err())
        .startsWith("hint  other.wbird was asked about as a key: 'check' asks one filter");
    assertThat(command.code()).isEqualTo(ExitCode.NO);
    assertThat(Command.run("check", "-q", filter, "other.wbird").err()).isEmpty();
    assertThat(Command.run("check", filter, "alice").err()).isEmpty();
  }

  @Test
  void aFileOfLinesAmongTheKeys_getsAHint() throws IOException {
    String lines = file("today.txt", "carol\n");
    String hint = "hint  " + lines + " was taken as a key: --from " + lines + " reads its lines\n";
    for (String[] words :
        new String[][] {
          {"check", filter, lines}, {"check", "--in", filter, lines}, {"add", filter, lines}
        }) {
      assertThat(Command.run(words).err()).as(words[0]).endsWith(hint);
    }
    assertThat(Command.run("check", "-q", filter, lines).err()).isEmpty();
    assertThat(Command.run("check", "-s", filter, lines).err()).isEmpty();
  }

  @Test
  void optionsThatSayHowLinesAreRead_areRefusedBesideKeys() {
    for (String[] words :
        new String[][] {
          {"check", "--csv", "--field", "1", filter, "alice"},
          {"check", "--crlf", "--in", filter, "alice"},
          {"add", "--no-decompress", filter, "alice"},
          {"remove", "-0", filter, "alice"}
        }) {
      Command command = Command.run(words);
      assertThat(command.code()).as(words[0]).isEqualTo(2);
      assertThat(command.err()).contains("WB-008  --", " and KEY exclude each other.");
    }
    assertThat(Command.reading("alice,1\n", "check", "--delimiter", ",", filter, "-").out())
        .isEqualTo("alice,1\n");
  }

  @Test
  void aByteOrderMark_isSaidOfLinesWhereItIsPartOfAKey() throws IOException {
    String marked = file("marked.txt", MARK + "alice\nbob\n");
    Command command = Command.run("check", filter, "--from", marked);
    assertThat(command.out()).isEqualTo("bob\n");
    String warning = "warn  " + marked + " begins with a UTF-8 byte order mark";
    assertThat(command.err()).contains(warning);
    for (String[] words :
        new String[][] {
          {"build", marked},
          {"build", file("plain", "x\n"), marked, "-o", path("two.wbird")},
          {"diff", marked, "/dev/null"},
          {"new", "-s", path("seen.wbird"), marked},
          {"verify", filter, "--contains", marked}
        }) {
      assertThat(Command.run(words).err()).as(words[0]).contains(warning).doesNotContain("plain b");
    }
    // Elsewhere it is a key like any other.
    assertThat(Command.reading("bob\n" + MARK + "alice\n", "check", filter).err())
        .doesNotContain("mark");
  }

  @Test
  void aByteOrderMark_isNoPartOfAField() throws IOException {
    String header = file("a.csv", MARK + "\"email\",name\nalice,A\nbob,B\n");
    String records = file("b.csv", MARK + "\"alice\",A\nbob,B\n");
    String tabs = file("c.tsv", MARK + "email\tname\nalice\tA\nbob\tB\n");
    String json = file("d.json", MARK + "{\"email\":\"alice\"}\n{\"email\":\"bob\"}\n");
    for (String[] words :
        new String[][] {
          {"--csv", "--field", "email", "--from", header},
          {"--csv", "--field", "1", "--from", records},
          {"--tsv", "--field", "email", "--from", tabs},
          {"--json-field", ".email", "--from", json}
        }) {
      Command command = run(words, "check", "-c", filter);
      assertThat(command.out()).as(command.err()).isEqualTo("2\n");
      assertThat(command.err()).isEqualTo("2 lines: 2 maybe here, 0 not here\n");
    }
  }

  @Test
  void counts_leaveOutHeadersAndLinesWithoutAKey() throws IOException {
    String csv = file("a.csv", "name,email\nA,alice\nbad\nB,bob\n");
    String[] fields = {"--csv", "--field", "email", "--skip-bad", csv};
    assertThat(run(fields, "build", "-o", path("g.wbird")).err())
        .contains("g.wbird  bloom, 2 lines, about 2 keys");
    assertThat(run(fields, "build", "--json", "-o", path("h.wbird")).out())
        .contains("\"lines\":2,");
    assertThat(run(fields, "new", "-s", path("seen.wbird")).err())
        .contains("\n2 lines: 2 new, 0 seen before");
    assertThat(run(fields, "diff", csv).err())
        .contains("0 of 2 lines are not among the 2 of " + csv);
    assertThat(run(fields, "common", file("b.csv", "email\nbob\n")).err())
        .contains("1 of 1 line is also among the 2 of " + csv);
    String[] from = {"--csv", "--field", "email", "--skip-bad", "--from", csv};
    assertThat(run(from, "check", filter).err()).contains("2 lines: 2 maybe here, 0 not here");
    assertThat(run(from, "check", "-v", "-c", filter).out()).isEqualTo("0\n");
    // A line that is wrong is still found by its number in the file.
    Command wrong = Command.run("build", "--csv", "--field", "email", csv, "-o", path("i.wbird"));
    assertThat(wrong.err()).contains(csv + ", line 3: it has 1 field");
  }

  private static Command run(String[] last, String... first) {
    return Command.run(Stream.of(first, last).flatMap(Stream::of).toArray(String[]::new));
  }

  @Test
  void ofAMap_theAnswerIsTheValue() throws IOException {
    Path path = folder.resolve("lists.wbird");
    Woodbird.frozenMap(Keys.strings())
        .fpp(1e-6)
        .buildTo(path, Map.of("crow", 3L, "owl", 200L).entrySet());
    assertThat(Command.run("check", path + "", "crow").out()).isEqualTo("value 3\n");
    assertThat(Command.run("check", path + "", "crow", "jay").out())
        .isEqualTo("value 3\tcrow\nnot here\tjay\n");
    assertThat(Command.reading("owl\njay\n", "check", "--both", path + "").out())
        .isEqualTo("value 200\towl\nnot here\tjay\n");
    assertThat(Command.run("check", "--json", path + "", "owl").out()).contains("\"value\":200");
    assertThat(Command.run("info", path + "").out()).contains("family", "map", "2");
    assertThat(Command.run("verify", path + "").code()).isZero();
  }
}
