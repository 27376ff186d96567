package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every error: its code, its text, its exit code. A problem without a case here fails the test. */
final class CatalogueTest {
  @TempDir Path folder;

  private final Set<Problem> seen = EnumSet.noneOf(Problem.class);
  private String lines = "";
  private String filter = "";

  @BeforeEach
  void makeFiles() throws IOException {
    lines = file("lines.txt", "alice\nbob\n");
    filter = path("lines.wbird");
    assertThat(Command.run("build", lines, "--seed", "1").code()).isZero();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private String file(String name, String text) throws IOException {
    Files.writeString(folder.resolve(name), text);
    return path(name);
  }

  /** Fails with this problem, in two or more lines of which the first begins with this text. */
  private void fails(Command command, Problem problem, String what, String... also) {
    String[] said = command.err().split("\n", -1);
    String first = "";
    int at = 0;
    for (int i = 0; i < said.length; i++) {
      if (said[i].startsWith("x WB-")) {
        first = said[i];
        at = i;
      }
    }
    assertThat(first).startsWith("x " + problem.code() + "  " + what);
    for (String text : also) {
      assertThat(command.err()).contains(text);
    }
    assertThat(command.err()).doesNotContain("\tat ");
    assertThat(said.length - at).as(command.err()).isBetween(2, 5);
    assertThat(command.code()).isEqualTo(problem.exitCode());
    assertThat(command.out()).isEmpty();
    seen.add(problem);
  }

  @Test
  void everyProblem_hasItsTextAndItsExitCode() throws IOException {
    usage();
    outputs();
    plans();
    inputs();
    filterFiles();
    shippedFiles();
    others();
    assertThat(seen).containsExactlyInAnyOrder(Problem.values());
  }

  private void usage() {
    fails(
        Command.run("bild"),
        Problem.NO_SUCH_VERB,
        "there is no verb 'bild'. Did you mean 'build'?",
        "The verbs are: plan, build",
        "Try:  woodbird help");
    fails(Command.run("help", "chekc"), Problem.NO_SUCH_VERB, "there is no verb 'chekc'. Did you");
    fails(
        Command.run("build", "--fp", "1%"),
        Problem.NO_SUCH_OPTION,
        "unknown option --fp for 'build'. Did you mean --fpp?",
        "woodbird build [OPTIONS] [FILE...]");
    fails(Command.run("plan", "-z"), Problem.NO_SUCH_OPTION, "unknown option -z for 'plan'.");
    fails(
        Command.run("plan", "-n"),
        Problem.OPTION_VALUE,
        "-n needs a value: -n N",
        "woodbird help plan");
    fails(Command.run("plan", "--json=1"), Problem.OPTION_VALUE, "--json takes no value: --json=1");
    fails(
        Command.run("plan", "-n", "many"),
        Problem.BAD_VALUE,
        "--keys \"many\" is not a count.",
        "10M, 2e9");
    fails(
        Command.run("plan", "-n", "1M", "--budget", "500M"),
        Problem.BAD_VALUE,
        "--budget 500M: is that 500MB or 500MiB?");
    fails(Command.run("plan", "-n", "1", "-p", "2"), Problem.BAD_VALUE, "--fpp \"2\" is not");
    fails(Command.run("plan", "-n", "0"), Problem.BAD_VALUE, "--keys must be positive: 0");
    fails(
        Command.run("build", "--family", "cuckoo", lines),
        Problem.BAD_VALUE,
        "--family can't be \"cuckoo\".",
        "bloom, bloom-classic, ribbon, fuse");
    fails(
        Command.run("check"), Problem.MISSING, "'check' needs FILTER [KEY...].", "woodbird check");
    fails(Command.run("new"), Problem.MISSING, "'new' needs --state FILE.", "seen.wbird");
    fails(
        Command.run("diff", "a", "b", "c"),
        Problem.TOO_MANY,
        "'diff' takes no further argument: c",
        "woodbird diff [OPTIONS] A B");
    fails(
        Command.run("build", "--csv", "--tsv", "--field", "1", lines),
        Problem.CONFLICT,
        "--csv and --tsv exclude each other.");
    fails(
        Command.run("build", "--value-field", "2", "--family", "map", lines, "-f"),
        Problem.CONFLICT,
        "--value-field needs --csv, --tsv, --delimiter or --json-field.");
    fails(
        Command.run("build", "--against", lines, lines, "-f"),
        Problem.CONFLICT,
        "--against needs --family exact.",
        "A bloom filter has no use for it.");
    fails(
        Command.run("build", "--family", "exact", lines, "-f"),
        Problem.MISSING,
        "--family exact needs --against FILE.");
    fails(
        Command.run("build", "--family", "map", lines, "-f"),
        Problem.MISSING,
        "a map needs a value for each line.",
        "--value-field");
    fails(
        Command.run("build", "--csv", lines, "-f"),
        Problem.CONFLICT,
        "--csv and --tsv need --field.");
  }

  private void outputs() {
    fails(Command.run("build", lines), Problem.EXISTS, filter + " exists.", "--force");
    fails(
        Command.run("build", lines, "-o", lines, "-f"),
        Problem.SAME_FILE,
        lines + " is also an input.");
    fails(
        onTerminal("build", lines, "-o", "-"),
        Problem.TERMINAL,
        "a filter is not written to a terminal.",
        "-o - > FILE");
    fails(
        Command.run("build", lines, "-o", path("no/such/f.wbird")),
        Problem.CANNOT_WRITE,
        path("no/such/f.wbird") + " can't be written.",
        "There is no folder");
    fails(
        Command.run("diff", lines, lines, "--tmp", path("no")),
        Problem.CANNOT_WRITE,
        "temporary files can't be written to " + path("no"));
  }

  private static Command onTerminal(String... words) {
    return Command.with(new byte[0], Set.of("in", "out", "err"), Map.of("TERM", "dumb"), words);
  }

  private void plans() throws IOException {
    fails(
        Command.run("plan", "-n", "2e9", "--budget", "500MB", "-p", "0.1%"),
        Problem.BUDGET,
        "500 MB can't hold 2,000,000,000 keys at 0.1 %.",
        "That is 2.00 bits a key; 9.97 is the least any structure needs for 0.1 %.",
        "--budget 2.5");
    fails(
        Command.run("build", "-n", "1e15", lines, "-o", path("huge.wbird")),
        Problem.BUDGET,
        "no filter can be built with these numbers.");
    StringBuilder many = new StringBuilder();
    for (int i = 0; i < 1000; i++) {
      many.append(i).append('\n');
    }
    fails(
        Command.run("build", "-n", "500", "--strict", file("many", many.toString())),
        Problem.OVER_PLAN,
        "-n 500 is too small: there are about ",
        "many.wbird was not written.",
        "Try:  -n 1",
        "build without -n");
    // All bits are set by a tenth of the lines, and do not say how many lines there are.
    fails(
        Command.run("build", "-n", "10", "--strict", path("many")),
        Problem.OVER_PLAN,
        "-n 10 is too small: there are far more keys, ",
        "many.wbird was not written.",
        "Try:  build without -n");
    assertThat(Path.of(path("many.wbird"))).doesNotExist();
  }

  private void inputs() throws IOException {
    fails(
        Command.run("build", path("none.txt")),
        Problem.CANNOT_READ,
        path("none.txt") + " can't be read.",
        "There is no such file.");
    fails(
        Command.run("build", folder.toString(), "-o", path("f")),
        Problem.CANNOT_READ,
        folder + " is a folder.");
    fails(Command.run("check", path("none"), "x"), Problem.CANNOT_READ, path("none") + " can't be");
    String csv = file("a.csv", "name,email\na,b\nc\n");
    fails(
        Command.run("build", "--csv", "--field", "phone", csv),
        Problem.NO_FIELD,
        csv + ": the first line has no field \"phone\".",
        "Its fields are: name, email");
    fails(
        Command.run("build", "--csv", "--field", "email", csv),
        Problem.NO_FIELD,
        csv + ", line 3: it has 1 field, and field 2 is asked for.",
        "--skip-bad");
    fails(
        Command.reading("{\"a\":1}\n{\"a\":", "build", "--json-field", ".a", "-o", path("j")),
        Problem.NO_FIELD,
        "stdin, line 2: it is not JSON");
    fails(
        Command.reading("12\nx\n", "build", "--key", "int", "-o", path("i")),
        Problem.BAD_KEY,
        "\"x\" is not a whole number of 64 bits.");
    fails(
        Command.run("build", "--family", "exact", "--against", lines, lines, "-f"),
        Problem.CONTRADICTION,
        "the lines contradict each other.",
        "a key is also one of the others",
        "woodbird diff");
    fails(
        Command.with(new byte[] {0x1f, (byte) 0x8b, 8, 0}, "build", "-o", path("z")),
        Problem.BAD_COMPRESSION,
        "stdin is compressed, and damaged or cut short.",
        "--no-decompress");
    fails(
        Command.with(new byte[] {0x1f, (byte) 0x8b, 8, 0}, "diff", "-", lines),
        Problem.BAD_COMPRESSION,
        "stdin is compressed, and damaged or cut short.",
        "After 0 bytes: ");
    fails(
        Command.reading("BZh91AY&SY?\n", "build", "-o", path("z")),
        Problem.CANNOT_READ,
        "stdin is compressed with bzip2, which is not read here.",
        "bzip2 -dc | woodbird ...");
    fails(
        Command.reading("0".repeat(65) + "\n", "build", "--key", "int", "-o", path("i")),
        Problem.BAD_KEY,
        "\"" + "0".repeat(64) + "\" is not a whole number of 64 bits.");
    fails(
        Command.reading(
            "0000000012345-0000-0000-0000-000000a\n", "build", "--key", "uuid", "-o", path("i")),
        Problem.BAD_KEY,
        "\"0000000012345-0000-0000-0000-000000a\" is not a UUID.");
  }

  private void filterFiles() throws IOException {
    byte[] good = Files.readAllBytes(Path.of(filter));
    byte[] bad = good.clone();
    bad[300] ^= 1;
    Path damaged = Files.write(folder.resolve("damaged.wbird"), bad);
    fails(
        Command.run("verify", damaged.toString()),
        Problem.DAMAGED,
        damaged + " is damaged.",
        "is damaged, at bytes 256 to",
        "copy it again");
    Path cut = Files.write(folder.resolve("cut.wbird"), java.util.Arrays.copyOf(good, 100));
    fails(
        Command.run("info", cut.toString()), Problem.DAMAGED, cut + " is damaged: it has only 100");
    fails(
        Command.run("check", lines, "x"),
        Problem.NOT_A_FILTER,
        lines + " is not a filter file.",
        "woodbird build " + lines);
    Path newer = Files.write(folder.resolve("newer.wbird"), ForgedHeaders.withVersion(good, 3));
    fails(
        Command.run("info", newer.toString()),
        Problem.TOO_NEW,
        newer + " was written in format 3; this woodbird reads format 2.",
        "not damaged");
    String secret = file("secret", "0123456789abcdef");
    String hidden = path("hidden.wbird");
    assertThat(Command.run("build", lines, "--secret", secret, "-o", hidden).code()).isZero();
    fails(
        Command.run("check", hidden, "alice"),
        Problem.OTHER_KEYS,
        hidden + " can't be asked: its keys are \"bytes:siphash13:",
        "--secret FILE");
    assertThat(Command.run("check", hidden, "alice", "--secret", secret).code()).isZero();
    assertThat(Command.run("info", hidden).out()).contains("siphash13");
    String state = path("state.wbird");
    assertThat(Command.run("new", "-s", state, "-n", "1000", lines).code()).isZero();
    fails(
        Command.run("new", "-s", state, "-n", "2000", lines),
        Problem.OTHER_FILTER,
        state + " was made with another -n or -p.",
        "run without -n and -p");
    String other = path("other.wbird");
    assertThat(Command.run("build", lines, "--seed", "2", "-o", other).code()).isZero();
    fails(
        Command.run("merge", filter, other, "-o", path("all.wbird")),
        Problem.SHAPES_DIFFER,
        filter + " and " + other + " can't be merged",
        "<- the seed differs",
        "--like");
    String ribbon = path("ribbon.wbird");
    assertThat(Command.run("build", lines, "--family", "ribbon", "-o", ribbon).code()).isZero();
    fails(
        Command.run("merge", ribbon, filter, "-o", path("all.wbird")),
        Problem.WRONG_FAMILY,
        ribbon + " is a ribbon filter, which can't be merged.");
    fails(
        Command.run("convert", filter, "-o", path("g")),
        Problem.WRONG_FAMILY,
        filter + " is a bloom filter, whose bits follow woodbird's own hash.");
  }

  private void shippedFiles() throws IOException {
    String key = path("key.pem");
    String other = path("other.pem");
    assertThat(Command.run("sign", "--new-key", key).code()).isZero();
    assertThat(Command.run("sign", "--new-key", other).code()).isZero();
    fails(
        Command.run("verify", filter, "--key", key + ".pub"),
        Problem.UNSIGNED,
        "a file is not signed.",
        filter + ": the file is not signed");
    String signed = path("signed.wbird");
    assertThat(Command.run("sign", "-k", key, filter, "-o", signed).code()).isZero();
    assertThat(Command.run("verify", signed, "--key", key + ".pub").code()).isZero();
    fails(
        Command.run("verify", signed, "--key", other + ".pub"),
        Problem.FOREIGN,
        "a file is signed by another key.",
        signed + ": the file is signed by another key");
    byte[] bytes = Files.readAllBytes(Path.of(signed));
    Path altered =
        Files.write(folder.resolve("altered.wbird"), ForgedHeaders.withOneMoreExpectedKey(bytes));
    fails(
        Command.run("verify", altered.toString(), "--key", key + ".pub"),
        Problem.ALTERED,
        "a file was altered after it was signed.");
    String delta = path("today.wdelta");
    String today = file("today.txt", "alice\ncarol\n");
    fails(
        Command.run("delta", filter, today, lines),
        Problem.MISSING,
        "'delta' needs -o FILE.",
        "Try:  -o today.wdelta");
    assertThat(Command.run("delta", filter, today, lines, "-o", delta).code()).isZero();
    String another = path("another.wbird");
    assertThat(Command.run("build", today, "--seed", "1", "-o", another).code()).isZero();
    fails(
        Command.run("patch", another, delta),
        Problem.OTHER_BASE,
        delta + " is not for " + another + ".",
        "made for another base");
    fails(
        Command.run("check", delta, "alice"),
        Problem.WRONG_FAMILY,
        delta + " is a delta, and no filter.",
        "woodbird patch");
  }

  private void others() throws IOException {
    String state = path("state.wbird");
    try (RandomAccessFile lock = new RandomAccessFile(state + ".lock", "rw");
        var held = lock.getChannel().lock()) {
      assertThat(held.isValid()).isTrue();
      fails(Command.run("new", "-s", state, lines), Problem.IN_USE, state + " is in use.");
    }
    fails(
        Command.run("nest"),
        Problem.REDIS,
        "Redis at redis://nest:6379 has no sealed generation",
        "Nothing was answered \"not here\"");
    fails(
        Command.run("nest", "break"),
        Problem.BUG,
        "this is a bug in woodbird: java.lang.IllegalStateException: a fault",
        "woodbird nest break");
    assertThat(Command.run("nest", "break", "--debug").err()).contains("\tat ");
    assertThat(Command.run("nest", "well").out()).isEqualTo("joined well\n");
    assertThat(Command.run("help").out()).contains("a part that joined");
    translated(new OutOfMemoryError(), Problem.OUT_OF_MEMORY, "there is not enough memory.");
    translated(
        new UncheckedIOException(new IOException("No space left on device")),
        Problem.CANNOT_WRITE,
        "the disk is full.");
    translated(new NoSuchFileException("/no/such"), Problem.CANNOT_READ, "/no/such can't be read.");
    // Not worth a gigabyte, or a file that changes at the right moment: see LinesTest, DiffTest.
    seen.add(Problem.LONG_LINE);
    seen.add(Problem.CHANGED);
  }

  private void translated(Throwable thrown, Problem problem, String what) {
    Failure failure = Failures.of(thrown, List.of("build"));
    assertThat(failure.problem()).isEqualTo(problem);
    assertThat(failure.what()).isEqualTo(what);
    assertThat(failure.tries()).isNotEmpty();
    seen.add(problem);
  }

  @Test
  void codesAndExitCodes_areForEver() {
    assertThat(Problem.values()).extracting(Problem::code).doesNotHaveDuplicates();
    assertThat(Problem.BUDGET.code()).isEqualTo("WB-101");
    assertThat(Problem.NO_SUCH_VERB.code()).isEqualTo("WB-001");
    for (Problem problem : Problem.values()) {
      assertThat(problem.exitCode()).isIn(2, 3, 4, 5, 6, 70);
    }
  }

  @Test
  void colour_isForTerminalsAndObeysNoColor() {
    Map<String, String> utf8 = Map.of("LANG", "C.UTF-8");
    assertThat(Command.with(new byte[0], Set.of("err"), utf8, "bild").err())
        .startsWith("\u001b[31m\u2717 WB-001\u001b[0m  ");
    assertThat(Command.with(new byte[0], Set.of("err"), Map.of("NO_COLOR", "1"), "bild").err())
        .startsWith("x WB-001  ");
  }
}
