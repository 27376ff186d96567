package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.DurableFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** add and remove: what they change, what they refuse, and what they leave as it was. */
final class ChangeTest {
  @TempDir Path folder;

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  private static Command good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  private static void fails(Command command, Problem problem, String... texts) {
    assertThat(command.code()).as(command.err()).isEqualTo(problem.exitCode());
    assertThat(command.err()).contains(problem.code());
    for (String text : texts) {
      assertThat(command.err()).contains(text);
    }
    assertThat(command.out()).isEmpty();
  }

  @Test
  void aPatchedFile_isNotChanged_andTheReasonIsSaid() throws IOException {
    Path list = Files.writeString(folder.resolve("new"), numbers(0, 1010));
    String base = path("base.wbird");
    String delta = path("today.wdelta");
    String file = path("patched.wbird");
    good(Command.reading(numbers(0, 1000), "build", "--family", "bloom", "-o", base));
    good(Command.run("delta", base, list.toString(), "-o", delta));
    good(Command.run("patch", base, delta, "-o", file));
    byte[] before = Files.readAllBytes(Path.of(file));
    fails(Command.run("add", file, "alice"), Problem.WRONG_FAMILY, "was patched with a delta");
    fails(
        Command.run("merge", base, file, "-o", path("all.wbird")),
        Problem.WRONG_FAMILY,
        "was patched with a delta");
    fails(Command.reading("1\n", "new", "-s", file), Problem.WRONG_FAMILY, "patched with a delta");
    assertThat(Files.readAllBytes(Path.of(file))).isEqualTo(before);
    assertThat(Command.run("check", file, "1005").code()).isZero();
  }

  @Test
  void add_putsKeysIntoEveryFamilyThatTakesThem() throws IOException {
    Path more = Files.writeString(folder.resolve("more"), numbers(1000, 2000));
    for (String family : List.of("bloom", "bloom-classic", "deletable", "counting", "growing")) {
      String file = path(family + ".wbird");
      good(
          Command.reading(
              numbers(0, 1000),
              "build",
              "--family",
              family,
              "-n",
              "3000",
              "-p",
              "1e-6",
              "--seed",
              "7",
              "-o",
              file));
      Command words = good(Command.run("add", file, "alice", "bob"));
      assertThat(words.err())
          .containsPattern("2 keys added, 2 of them new; now about (1,0|99)\\d+ keys");
      good(Command.run("add", file, "--from", more.toString()));
      good(Command.reading("eve\n", "add", file));
      assertThat(Command.run("check", file, "alice", "bob", "eve").code()).isZero();
      Command all = Command.reading(numbers(0, 3000), "check", "-c", file);
      assertThat(all.out()).as(family).isEqualTo("2000\n"); // With this seed.
      assertThat(Command.run("verify", file).code()).isZero();
    }
  }

  @Test
  void severalFiles_areAllRead() throws IOException {
    String file = path("seen.wbird");
    String one = Files.writeString(folder.resolve("one"), numbers(0, 100)).toString();
    String two = Files.writeString(folder.resolve("two"), numbers(100, 200)).toString();
    good(Command.reading("first\n", "build", "-n", "1000", "-o", file));
    good(Command.run("add", file, "--from", one, "--from", two));
    assertThat(good(Command.run("check", "-c", file, "--from", one, "--from", two)).out())
        .isEqualTo("200\n");
    String empty = path("empty.wbird");
    good(Command.reading(numbers(0, 100), "build", "-n", "1000", "-p", "1e-9", "-o", empty));
    Command verified = Command.run("verify", empty, "--contains", two, "--contains", one);
    assertThat(verified.code()).isEqualTo(ExitCode.NO);
    assertThat(verified.out()).contains("100 lines of 200 NOT here");
  }

  @Test
  void addedKeys_makeTheSameFileAsBuiltOnes() throws IOException {
    for (String family : List.of("bloom", "bloom-classic", "deletable", "growing")) {
      String once = path(family + ".once");
      String twice = path(family + ".twice");
      String[] build = {"build", "--family", family, "-n", "500", "--seed", "7", "-o"};
      good(Command.reading(numbers(0, 400), with(build, once)));
      good(Command.reading(numbers(0, 150), with(build, twice)));
      good(Command.reading(numbers(150, 400), "add", twice));
      assertThat(Path.of(twice)).hasSameBinaryContentAs(Path.of(once));
    }
  }

  private static String[] with(String[] words, String last) {
    String[] all = Arrays.copyOf(words, words.length + 1);
    all[words.length] = last;
    return all;
  }

  @Test
  void remove_undoesOneAdd() {
    for (String family : List.of("deletable", "counting", "growing")) {
      String file = path(family + ".wbird");
      good(
          Command.reading(
              "alice\nbob\nalice\n",
              "build",
              "--family=" + family,
              "--seed=7",
              "-p1e-6",
              "-o",
              file));
      good(Command.run("remove", file, "alice"));
      assertThat(Command.run("check", file, "alice").out()).isEqualTo("maybe here\n");
      good(Command.run("remove", file, "alice"));
      assertThat(Command.run("check", file, "alice").out()).isEqualTo("not here\n");
      Command absent = Command.run("remove", file, "alice", "bob");
      assertThat(absent.code()).isEqualTo(ExitCode.NO);
      assertThat(absent.err()).contains("1 removed, 1 not here before; now about 0 keys");
      assertThat(Command.reading("bob\n", "remove", "--json", file).out())
          .contains("\"schema\":\"woodbird.remove/1\"")
          .contains("\"removed\":0");
    }
  }

  @Test
  void theFilter_isAskedInJavaWithWhatWasAdded() throws IOException {
    Path file = folder.resolve("f.wbird");
    good(Command.reading("alice\n", "build", "--family", "deletable", "-n", "9", "-o", "" + file));
    good(Command.run("add", "" + file, "bob", "bob"));
    Filter<String> read =
        Woodbird.readFrom(new ByteArrayInputStream(Files.readAllBytes(file)), Keys.strings());
    assertThat(read.stats().estimatedKeys()).isEqualTo(3);
    assertThat(read.mightContain("bob")).isTrue();
  }

  /** One line takes the room of the shard that it is in, and -n is not what is wrong. */
  @Test
  void aLineThatIsThereTooOften_isNamed() throws IOException {
    String often = "often\n".repeat(30_000);
    Path lines = Files.writeString(folder.resolve("lines"), numbers(0, 70_000) + often);
    fails(
        Command.run("build", "--family", "deletable", "" + lines),
        Problem.OVER_PLAN,
        "a line is there so often that the others near it have no room.",
        "It is there 30,000 times: \"often\".",
        "lines.wbird was not written.",
        "sort -u");
    fails(
        Command.reading(
            numbers(0, 70_000) + often, "build", "--family", "deletable", "-o", path("d")),
        Problem.OVER_PLAN,
        "a line is there so often that the others near it have no room.",
        "It is there 30,000 times: the line with hash 0x");
  }

  @Test
  void aFullFilter_isLeftAsItWas() throws IOException {
    Path file = folder.resolve("d.wbird");
    good(Command.reading(numbers(0, 100), "build", "--family", "deletable", "-o", "" + file));
    byte[] before = Files.readAllBytes(file);
    fails(
        Command.reading(numbers(100, 5000), "add", "" + file),
        Problem.OVER_PLAN,
        "there are more keys than the filter has room for.",
        file + " is as it was.");
    assertThat(file).hasBinaryContent(before);
    fails(
        Command.reading(numbers(0, 5000), "build", "--family", "deletable", "-n", "9", "-o", "x"),
        Problem.OVER_PLAN,
        "x was not written.");
    assertThat(Path.of("x")).doesNotExist();
    Path bloom = folder.resolve("b.wbird");
    good(Command.reading(numbers(0, 100), "build", "-o", "" + bloom));
    before = Files.readAllBytes(bloom);
    fails(
        Command.reading(numbers(100, 900), "add", "--strict", "" + bloom),
        Problem.OVER_PLAN,
        "keys, 100 were planned");
    assertThat(bloom).hasBinaryContent(before);
    assertThat(good(Command.reading(numbers(100, 900), "add", "" + bloom)).err())
        .contains("warn  " + bloom + " holds about");
    assertThat(Command.reading(numbers(0, 900), "check", "-c", "" + bloom).out())
        .isEqualTo("900\n");
  }

  @Test
  void whatTakesNoKeys_isRefused() throws IOException {
    String ribbon = path("r.wbird");
    good(Command.reading("a\n", "build", "--family", "frozen", "-o", ribbon));
    fails(
        Command.run("add", ribbon, "b"),
        Problem.WRONG_FAMILY,
        ribbon + " is a ribbon filter, which takes no keys here.");
    String bloom = path("b.wbird");
    good(Command.reading("a\n", "build", "-o", bloom));
    fails(
        Command.run("remove", bloom, "a"),
        Problem.WRONG_FAMILY,
        bloom + " is a bloom filter, which can't remove keys.");
    Path text = Files.writeString(folder.resolve("t"), "a\n");
    fails(Command.run("add", "" + text, "b"), Problem.NOT_A_FILTER);
    fails(Command.run("add", path("none"), "b"), Problem.CANNOT_READ);
    fails(Command.run("add", bloom, "-", "b"), Problem.CONFLICT, "echo - | woodbird add FILTER");
    Files.createLink(folder.resolve("other"), Path.of(bloom));
    fails(Command.run("add", bloom, "b"), Problem.CANNOT_WRITE, "several names (hard links)");
  }

  @Test
  void aFileThatAnotherHasOpen_isRefused() throws IOException {
    Path file = folder.resolve("f.wbird");
    good(Command.reading("a\n", "build", "-n", "1000", "--seed", "3", "-o", "" + file));
    try (DurableFilter<String> open = Woodbird.bloom(Keys.strings(), 1000).seed(3).file(file)) {
      open.put("b");
      fails(Command.run("add", "" + file, "c"), Problem.IN_USE, "is in use.");
      fails(Command.reading("z\n", "build", "-f", "-o", "" + file), Problem.IN_USE);
      fails(
          Command.reading("z\n", "build", "-f", "--family", "ribbon", "-o", "" + file),
          Problem.IN_USE);
    }
    good(Command.run("add", "" + file, "c"));
    assertThat(Command.run("check", "" + file, "a", "b", "c").code()).isZero();
  }

  /** What another process wrote between reading and saving is not overwritten. */
  @Test
  void aFileThatIsReplacedMeanwhile_isNotOverwritten() throws IOException {
    Path file = folder.resolve("f.wbird");
    good(Command.reading("a\n", "build", "-o", "" + file));
    BloomFilter<String> other = Woodbird.bloom(Keys.strings(), 10).build();
    other.put("z");
    Command command =
        Command.onceRead(
            "b\n",
            () -> {
              try {
                other.save(file);
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            },
            "add",
            "" + file);
    fails(command, Problem.CHANGED, "was replaced meanwhile.", "Nothing was written.");
    assertThat(Command.run("check", "" + file, "z").code()).isZero();
  }

  /** Another process may have saved the file at the same time, and one of both is lost. */
  @Test
  void aLockThatIsRemovedMeanwhile_isTold() throws IOException {
    Path file = folder.resolve("f.wbird");
    good(Command.reading("a\n", "build", "-o", "" + file));
    Command command =
        Command.onceRead(
            "b\n",
            () -> {
              try {
                Files.delete(folder.resolve("f.wbird.lock2"));
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
            },
            "add",
            "" + file);
    fails(command, Problem.CANNOT_WRITE, "f.wbird.lock2 was removed");
    assertThat(command.err()).doesNotContain("added");
  }

  /** Of a first 'add' and a 'build -f' of one file at the same moment, one is refused. */
  @Test
  void addAndBuild_keepEachOtherOut_fromTheFirstTime() throws IOException {
    for (String family : List.of("bloom", "ribbon", "deletable")) {
      Path file = folder.resolve(family + ".wbird");
      good(Command.reading("a\n", "build", "-p", "1e-9", "-o", "" + file));
      Command[] other = new Command[1];
      Command build =
          Command.onceRead(
              "b\n",
              () -> other[0] = Command.run("add", "" + file, "c"),
              "build",
              "-f",
              "--family",
              family,
              "-o",
              "" + file);
      fails(other[0], Problem.IN_USE, "is in use.", "would lose keys");
      good(build);
      assertThat(Command.run("check", "" + file, "b").code()).isZero();

      Path second = folder.resolve(family + "2.wbird");
      good(Command.reading("a\n", "build", "-o", "" + second));
      Command add =
          Command.onceRead(
              "c\n",
              () ->
                  other[0] =
                      Command.reading("b\n", "build", "-f", "--family", family, "-o", "" + second),
              "add",
              "" + second);
      fails(other[0], Problem.IN_USE, "is in use.");
      good(add);
      assertThat(Command.run("check", "" + second, "a", "c").code()).isZero();
    }
    try (var left = Files.list(folder)) {
      Path frozen = folder.resolve("f.wbird");
      good(Command.reading("a\n", "build", "--family", "ribbon", "-o", "" + frozen));
      good(Command.reading("a\n", "build", "--family", "ribbon", "-f", "-o", "" + frozen));
      assertThat(left).noneMatch(path -> path.endsWith("f.wbird.lock"));
    }
  }

  @Test
  void aLink_staysALink() throws IOException {
    Path file = folder.resolve("f.wbird");
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);
    good(Command.reading("a\n", "build", "-o", "" + file));
    good(Command.run("add", "" + link, "b"));
    assertThat(link).isSymbolicLink();
    assertThat(Command.run("check", "" + file, "b").code()).isZero();
    try (var left = Files.list(folder)) {
      assertThat(left.map(path -> "" + path.getFileName()))
          .containsExactlyInAnyOrder("f.wbird", "f.wbird.lock", "f.wbird.lock2", "link");
    }
  }

  @Test
  void aBudget_isKeptByEveryFamilyThatHasASize() throws IOException {
    for (String family :
        List.of("bloom", "bloom-classic", "ribbon", "fuse", "deletable", "counting")) {
      for (int budget : new int[] {9000, 20_011, 77_777}) {
        Path file = folder.resolve(family + budget);
        good(
            Command.reading(
                numbers(0, 10_000),
                "build",
                "--family",
                family,
                "--budget",
                budget + "B",
                "-o",
                "" + file));
        assertThat(Files.size(file)).as(family).isLessThanOrEqualTo(budget);
        assertThat(Files.size(file)).as(family).isGreaterThan(budget / 2);
      }
    }
    fails(
        Command.reading("a\n", "build", "--family", "growing", "--budget", "1MB", "-o", path("g")),
        Problem.CONFLICT,
        "A growing filter has no largest size.");
    fails(
        Command.reading(
            numbers(0, 9999), "build", "--family", "counting", "--budget", "300B", "-o", path("c")),
        Problem.BUDGET,
        "no filter can be built with these numbers.");
  }

  @Test
  void repeatedLines_doNotMakeABloomFilterLarger() throws IOException {
    String text = numbers(0, 20_000);
    Path once = folder.resolve("once");
    Path often = folder.resolve("often");
    good(Command.reading(text, "build", "--seed", "1", "-o", "" + once));
    good(Command.reading(text.repeat(10), "build", "--seed", "1", "-o", "" + often));
    // The number of keys is estimated to 0.41 %, and 2 % are added.
    assertThat((double) Files.size(often) / Files.size(once)).isBetween(1.0, 1.045);
    assertThat(Command.run("info", "--json", "" + once).out()).contains("\"capacity\":20000,");
    assertThat(Command.reading(text, "check", "-c", "" + often).out()).isEqualTo("20000\n");
  }
}
