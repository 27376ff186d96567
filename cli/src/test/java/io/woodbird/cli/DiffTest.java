package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.woodbird.cli.say.DataOut;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Streams;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Lines of A in B and not in B, against a set in memory and against sort and comm. */
final class DiffTest {
  @TempDir Path folder;

  private Path write(String name, List<String> lines, boolean lastEnd) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < lines.size(); i++) {
      bytes.writeBytes(lines.get(i).getBytes(StandardCharsets.ISO_8859_1));
      if (i < lines.size() - 1 || lastEnd) {
        bytes.write('\n');
      }
    }
    return Files.write(folder.resolve(name), bytes.toByteArray());
  }

  private static String joined(List<String> lines) {
    StringBuilder text = new StringBuilder();
    lines.forEach(line -> text.append(line).append('\n'));
    return text.toString();
  }

  private static String latin(Command command) {
    return new String(command.bytes(), StandardCharsets.ISO_8859_1);
  }

  private void compare(List<String> a, List<String> b, boolean lastEnd) throws IOException {
    String fileA = write("a", a, lastEnd).toString();
    String fileB = write("b", b, lastEnd).toString();
    Set<String> inB = new HashSet<>(b);
    List<String> only = a.stream().filter(line -> !inB.contains(line)).toList();
    List<String> both = a.stream().filter(inB::contains).toList();
    Command diff = Command.run("diff", fileA, fileB);
    assertThat(diff.code()).as(diff.err()).isZero();
    assertThat(latin(diff)).isEqualTo(joined(only));
    assertThat(latin(Command.run("common", fileA, fileB))).isEqualTo(joined(both));
    assertThat(Command.run("common", "--count", fileA, fileB).out()).isEqualTo(both.size() + "\n");
  }

  /** A line of random bytes without a line end, often one that was there before. */
  private static String line(SplittableRandom random, int kinds) {
    SplittableRandom own = new SplittableRandom(random.nextInt(kinds));
    int length = own.nextInt(4) == 0 ? 0 : own.nextInt(60);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      char c = (char) own.nextInt(256);
      text.append(c == '\n' ? 'n' : c);
    }
    return text.toString();
  }

  @Test
  void diffAndCommon_areExactForAnyBytes() {
    Trials.sized(
        "diff",
        40,
        3000,
        (random, size) -> {
          int kinds = 1 + random.nextInt(2 * size + 2);
          List<String> a = new ArrayList<>();
          List<String> b = new ArrayList<>();
          for (int i = 0; i < size; i++) {
            a.add(line(random, kinds));
          }
          for (int i = random.nextInt(size + 1); i > 0; i--) {
            b.add(line(random, kinds));
          }
          // "\n" at the end is what tells "no line" from "an empty line".
          if (!a.isEmpty() && a.get(0).startsWith("\u001f")) {
            a.set(0, "");
          }
          if (!b.isEmpty() && b.get(0).startsWith("\u001f")) {
            b.set(0, "");
          }
          compare(a, b, true);
        });
  }

  @Test
  void fewAndStrangeLines_areExactToo() throws IOException {
    String megabyte = "m".repeat(1 << 20);
    for (boolean lastEnd : new boolean[] {true, false}) {
      compare(List.of(), List.of(), true);
      compare(List.of("a"), List.of(), lastEnd);
      compare(List.of(), List.of("a"), lastEnd);
      compare(List.of("a", "a", "b"), List.of("a"), lastEnd);
      compare(List.of(megabyte + "1", megabyte + "2"), List.of("x", megabyte + "2"), lastEnd);
      compare(List.of("a\r", "\u0000\u00ff", "b"), List.of("a", "\u0000\u00ff", "b "), lastEnd);
    }
    compare(List.of("", "a", ""), List.of("b"), true);
    compare(List.of("", "a", ""), List.of("", "b"), true);
  }

  @Test
  void twoHundredThousandLines_areWhatSortAndCommSay() throws Exception {
    assumeThat(Path.of("/usr/bin/comm")).exists();
    SplittableRandom random = new SplittableRandom(8);
    List<String> a = new ArrayList<>();
    List<String> b = new ArrayList<>();
    for (int i = 0; i < 200_000; i++) {
      a.add("https://example.com/" + random.nextInt(400_000));
      b.add("https://example.com/" + random.nextInt(400_000));
    }
    Path fileA = write("a", a, true);
    Path fileB = write("b", b, true);
    for (String verb : List.of("diff", "common")) {
      String columns = verb.equals("diff") ? "-23" : "-12";
      Process comm =
          new ProcessBuilder(
                  "bash",
                  "-c",
                  "comm " + columns + " <(sort -u " + fileA + ") <(sort -u " + fileB + ")")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      List<String> expected =
          new String(comm.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertThat(comm.waitFor()).isZero();
      List<String> found =
          Command.run(verb, fileA.toString(), fileB.toString()).out().lines().toList();
      assertThat(found.stream().distinct().sorted().toList())
          .isEqualTo(expected.stream().sorted().toList());
      Set<String> wanted = new HashSet<>(expected);
      assertThat(found).isEqualTo(a.stream().filter(wanted::contains).toList());
    }
  }

  @Test
  void stdinAndFields_areCompared() throws IOException {
    Path known = Files.writeString(folder.resolve("k.csv"), "id,email\n1,a@x\n2,b@x\n");
    String records = "email,n\nc@x,1\nb@x,2\n";
    Command diff =
        Command.reading(records, "diff", "-", known.toString(), "--csv", "--field", "email");
    assertThat(diff.err()).contains("1 of");
    assertThat(diff.out()).isEqualTo("c@x,1\n");
    assertThat(Command.reading(records, "diff", "-", "-").code()).isEqualTo(2);
  }

  /** Half of a surrogate pair has no UTF-8 form, and Java writes all of them as "?". */
  @Test
  void halvesOfPairs_areNotTakenForOneKey() throws IOException {
    String a = write("a", List.of("{\"id\":\"\\ud800\"}", "{\"id\":\"x\"}"), true).toString();
    String b = write("b", List.of("{\"id\":\"\\ud801\"}"), true).toString();
    Command refused = Command.run("diff", "--json-field", "id", a, b);
    assertThat(refused.code()).isEqualTo(Problem.NO_FIELD.exitCode());
    assertThat(refused.err()).contains("half of a surrogate pair");
    Command left = Command.run("diff", "--json-field", "id", "--skip-bad", a, b);
    assertThat(left.out()).isEqualTo("{\"id\":\"x\"}\n");
    assertThat(left.err()).contains("1 line without the field left out");
    String pair = write("p", List.of("{\"id\":\"\\ud834\\udd1e\"}"), true).toString();
    assertThat(Command.run("common", "--json-field", "id", pair, pair).out()).isNotEmpty();
  }

  @Test
  void aFileThatChangesMeanwhile_isNoticed() throws IOException {
    String lines = "one\ntwo\n";
    String withReturn = "two\nthree\r\n";
    assertThat(meddled(lines, withReturn, "b", withReturn)).isZero();
    assertThat(meddled(lines, withReturn, "b", withReturn + "four\n")).isEqualTo(3);
    assertThat(meddled(lines, withReturn, "b", "one\nthree\r\n")).isEqualTo(3);
    assertThat(meddled(withReturn, lines, "a", withReturn)).isZero();
    assertThat(meddled(withReturn, lines, "a", withReturn + "four\n")).isEqualTo(3);
    assertThat(meddled(withReturn, lines, "a", "two\none\n")).isEqualTo(3);
  }

  /** As "sort -o A A" does it: the numbers of the lines that are in B are those of others. */
  @Test
  void aFileWhoseLinesChangePlaces_isNoticed() throws IOException {
    assertThat(meddled("x\r\ntwo\none\n", "two\nthree\n", "a", "two\nx\r\none\n")).isEqualTo(3);
  }

  /**
   * Compares two files, of which one becomes another when it was read once; gives the exit code.
   */
  private int meddled(String textOfA, String textOfB, String changed, String later)
      throws IOException {
    Path a = Files.writeString(folder.resolve("a"), textOfA);
    Path b = Files.writeString(folder.resolve("b"), textOfB);
    // The warning of the CR comes after the file was read once.
    OutputStream meddling =
        new OutputStream() {
          @Override
          public void write(int c) throws IOException {
            if (c == 'C') {
              Files.writeString(folder.resolve(changed), later);
            }
          }
        };
    Streams streams =
        new Streams(
            new ByteArrayInputStream(new byte[0]),
            new DataOut(OutputStream.nullOutputStream()),
            new PrintStream(meddling, true, StandardCharsets.UTF_8),
            Set.of(),
            Map.of());
    return Main.run(List.of("diff", a.toString(), b.toString()), streams);
  }

  @Test
  void temporaryFiles_areGoneAfterwards() throws IOException {
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    Path a = Files.writeString(folder.resolve("a"), "one\ntwo\n");
    Command.reading("two\n", "diff", a.toString(), "-", "--tmp", temporary.toString());
    try (var left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
  }
}
