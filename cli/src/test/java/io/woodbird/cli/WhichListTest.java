package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code check --in}: which lists have a key. */
final class WhichListTest {
  @TempDir Path folder;
  private String spam = "";
  private String bad = "";

  @BeforeEach
  void build() {
    spam = folder.resolve("spam.wbird").toString();
    bad = folder.resolve("bad.wbird").toString();
    make("a\nb\n", spam, "--seed", "1");
    make("b\nC\n", bad, "--family", "deletable", "--lower");
  }

  private static void make(String lines, String file, String... more) {
    String[] words = new String[more.length + 5];
    System.arraycopy(new String[] {"build", "-p", "1e-9", "-o", file}, 0, words, 0, 5);
    System.arraycopy(more, 0, words, 5, more.length);
    Command command = Command.reading(lines, words);
    assertThat(command.code()).as(command.err()).isZero();
  }

  @Test
  void keys_arePrintedWithTheirLists() {
    Command command = Command.run("check", "--in", spam, "--in", bad, "a", "b", "c", "d");
    assertThat(command.out())
        .isEqualTo(spam + "\ta\n" + spam + "," + bad + "\tb\n" + bad + "\tc\n" + "not here\td\n");
    assertThat(command.code()).isEqualTo(ExitCode.NO);
    assertThat(Command.run("check", "--in=" + spam, "a").out()).isEqualTo(spam + "\n");
    assertThat(Command.run("check", "--in=" + spam, "a").code()).isZero();
    assertThat(Command.run("check", "-c", "--in", spam, "--in", bad, "a", "d").out())
        .isEqualTo("1\n");
    assertThat(Command.run("check", "--json", "--in", spam, "--in", bad, "b", "d").out())
        .isEqualTo(
            ("{'schema':'woodbird.check/1','files':['%s','%s'],'answers':["
                    + "{'key':'b','in':['%s','%s']},{'key':'d','in':[]}]}\n")
                .replace('\'', '"')
                .formatted(spam, bad, spam, bad));
  }

  @Test
  void lines_arePassedWithTheirLists() {
    String lines = "d\na\nC\nb\n";
    Command command = Command.reading(lines, "check", "--in", spam, "--in", bad);
    assertThat(command.out())
        .isEqualTo(spam + "\ta\n" + bad + "\tC\n" + spam + "," + bad + "\tb\n");
    assertThat(command.err())
        .isEqualTo("4 lines: 3 maybe in a list, 1 in none, 2 in " + spam + ", 2 in " + bad + "\n");
    assertThat(Command.reading(lines, "check", "-v", "--in", spam, "--in", bad).out())
        .isEqualTo("d\n");
    assertThat(Command.reading("d\na\n", "check", "--both", "--in", spam).out())
        .isEqualTo("not here\td\n" + spam + "\ta\n");
    assertThat(Command.reading(lines, "check", "-c", "--in", spam, "--in", bad).out())
        .isEqualTo("3\n");
    assertThat(Command.reading(lines, "check", "--json", "--in", spam, "--in", bad).err())
        .contains("\"maybeHere\":3,\"notHere\":1,\"doubts\":[]");
  }

  @Test
  void theExitCode_saysThatNothingWasPassed() {
    for (String[] way : new String[][] {{"check", spam}, {"check", "--in", spam}}) {
      String[] asked = java.util.Arrays.copyOf(way, way.length + 1);
      asked[way.length] = "--exit-code";
      assertThat(Command.reading("x\n", way).code()).isZero();
      assertThat(Command.reading("x\n", asked).code()).isEqualTo(ExitCode.NO);
      assertThat(Command.reading("x\na\n", asked).code()).isZero();
      assertThat(Command.reading("", asked).code()).isEqualTo(ExitCode.NO);
    }
    assertThat(Command.reading("a\n", "check", "-v", "--exit-code", spam).code())
        .isEqualTo(ExitCode.NO);
    assertThat(Command.reading("a\n", "check", "-v", "--exit-code", "--in", spam).code())
        .isEqualTo(ExitCode.NO);
  }

  @Test
  void aDamagedList_mayHaveTheKey() throws IOException {
    byte[] bytes = Files.readAllBytes(Path.of(spam));
    bytes[300] ^= 1;
    Files.write(Path.of(spam), bytes);
    Command command = Command.run("check", "--in", spam, "--in", bad, "d");
    assertThat(command.out()).isEqualTo(spam + "?\n");
    assertThat(command.code()).isEqualTo(4);
    Command lines = Command.reading("d\n", "check", "--in", bad, "--in", spam);
    assertThat(lines.out()).isEqualTo(spam + "\td\n");
    assertThat(lines.code()).isEqualTo(4);
  }

  @Test
  void aListThatIsNone_isRefused() {
    Command command = Command.run("check", "--in", spam, "--in", folder.resolve("no").toString());
    assertThat(command.code()).isEqualTo(Problem.CANNOT_READ.exitCode());
    assertThat(command.out()).isEmpty();
  }
}
