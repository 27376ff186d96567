package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** build, check, info, verify and merge. */
final class FilterVerbsTest {
  @TempDir Path folder;

  @Test
  void info_saysOfAFilterThatTakesKeysHowFullItIs() throws IOException {
    Path file = folder.resolve("d.wbird");
    var filter = Woodbird.deletable(Keys.strings(), 1000).fpp(0.01).build();
    filter.put("a");
    filter.save(file);
    assertThat(Command.run("info", file.toString()).out())
        .contains("deletable")
        .contains("1 of 1,000 planned")
        .doesNotContain("takes no more");
    assertThat(Command.run("merge", file.toString(), file.toString(), "-o", file + "2").err())
        .contains("is a deletable filter, which can't be merged.");
  }

  @Test
  void info_saysOfAFilterThatGrowsHowManyKeysItHolds() throws IOException {
    good(Command.run("build", "--family", "growing", lines("k.txt", 0, 1000), "-o", path("g")));
    assertThat(good(Command.run("info", path("g"))).out())
        .contains("about 1,000, and it grows with them")
        .containsPattern("size .*, [1-9][0-9]\\.[0-9]+ bits a key\n")
        .doesNotContain("planned");
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static String numbers(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> i + "\n").collect(Collectors.joining());
  }

  private String lines(String name, int from, int to) throws IOException {
    return Files.writeString(folder.resolve(name), numbers(from, to)).toString();
  }

  private static Command good(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  @Test
  void everyFamily_holdsEveryLineAndKeepsItsPromise() throws IOException {
    String keys = lines("keys.txt", 0, 20_000);
    String absent = lines("absent.txt", 20_000, 60_000);
    for (String family : List.of("bloom", "bloom-classic", "ribbon", "fuse")) {
      String filter = path(family + ".wbird");
      good(Command.run("build", keys, "--family", family, "-p", "1/64", "-o", filter));
      assertThat(Command.run("verify", filter, "--contains", keys).out())
          .contains("all 20,000 lines maybe here");
      long wrong =
          Long.parseLong(Command.run("check", "-c", filter, "--from", absent).out().strip());
      // 40,000 / 64 is 625; 5 sigma of the binomial is 125.
      assertThat(wrong).as(family).isLessThanOrEqualTo(750);
      assertThat(Command.run("verify", filter, "--contains", absent).code()).isEqualTo(ExitCode.NO);
      assertThat(Command.run("info", filter).out()).contains("family   " + family);
    }
  }

  @Test
  void aFilterOfObjects_isAskedWithLinesOfTheirProperty() throws IOException {
    String filter = path("users.wbird");
    Woodbird.frozen(Keys.by("id", UUID::toString, Keys.strings()))
        .seed(1)
        .buildFrom(List.of(new UUID(1, 2)))
        .save(Path.of(filter));
    assertThat(Command.run("check", filter, new UUID(1, 2).toString()).out())
        .isEqualTo("maybe here\n");
    assertThat(Command.run("check", filter, new UUID(1, 3).toString()).out())
        .isEqualTo("not here\n");
  }

  @Test
  void aFilterOfLines_isAskedWithStringsInJava() throws IOException {
    String keys = lines("keys.txt", 0, 1000);
    good(Command.run("build", keys));
    try (OpenFilter<String> filter = Woodbird.open(folder.resolve("keys.wbird"), Keys.strings())) {
      for (int i = 0; i < 1000; i++) {
        assertThat(filter.mightContain("" + i)).isTrue();
      }
    }
  }

  @Test
  void theWayLinesCome_doesNotChangeTheBytes() throws IOException {
    String keys = lines("keys.txt", 0, 50_000);
    byte[] text = Files.readAllBytes(Path.of(keys));
    for (String family : List.of("bloom", "ribbon")) {
      String file = path(family);
      good(Command.run("build", keys, "--family", family, "--seed", "7", "-o", file));
      byte[] expected = Files.readAllBytes(Path.of(file));
      Command piped =
          good(Command.with(text, "build", "--family", family, "--seed", "7", "-o", "-"));
      assertThat(piped.bytes()).isEqualTo(expected);
    }
    // More hashes than memory may hold: the rest lies in a temporary file.
    byte[] many = numbers(0, 300_000).getBytes(StandardCharsets.UTF_8);
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    byte[] inMemory = good(Command.with(many, "build", "--seed", "7", "-o", "-")).bytes();
    Command spilled =
        Command.with(
            many,
            "build",
            "--seed",
            "7",
            "-o",
            "-",
            "--memory",
            "1MB",
            "--tmp",
            temporary.toString());
    assertThat(good(spilled).bytes()).isEqualTo(inMemory);
    assertThat(temporary).isEmptyDirectory();
    // Known number of keys or not: the same.
    byte[] known =
        good(Command.with(text, "build", "-n", "50000", "--seed", "7", "-o", "-")).bytes();
    assertThat(known).isEqualTo(Files.readAllBytes(folder.resolve("bloom")));
  }

  @Test
  void check_answersAndItsExitCodeSaysSo() throws IOException {
    String filter = path("f.wbird");
    good(Command.reading(numbers(0, 1000), "build", "-p", "1e-9", "-o", filter));
    assertThat(Command.run("check", filter, "5").out()).isEqualTo("maybe here\n");
    assertThat(Command.run("check", filter, "5").code()).isZero();
    assertThat(Command.run("check", filter, "x").out()).isEqualTo("not here\n");
    assertThat(Command.run("check", filter, "x").code()).isEqualTo(ExitCode.NO);
    Command both = Command.run("check", filter, "5", "x");
    assertThat(both.out()).isEqualTo("maybe here\t5\nnot here\tx\n");
    assertThat(both.code()).isEqualTo(ExitCode.NO);
    assertThat(Command.run("check", filter, "--json", "5", "x").out())
        .contains("\"schema\":\"woodbird.check/1\"")
        .contains(
            "{\"key\":\"5\",\"answer\":\"MAYBE_HERE\"},{\"key\":\"x\",\"answer\":\"NOT_HERE\"}");
    assertThat(Command.run("check", "-s", filter, "x").out()).isEmpty();
  }

  @Test
  void check_siftsLines() throws IOException {
    String filter = path("f.wbird");
    good(Command.reading(numbers(0, 1000), "build", "-p", "1e-9", "-o", filter));
    String asked = numbers(500, 1500);
    assertThat(good(Command.reading(asked, "check", filter)).out()).isEqualTo(numbers(500, 1000));
    assertThat(good(Command.reading(asked, "check", "-v", filter)).out())
        .isEqualTo(numbers(1000, 1500));
    assertThat(Command.reading(asked, "check", "-c", filter).out()).isEqualTo("500\n");
    assertThat(Command.reading("5\nx", "check", "--both", filter).out())
        .isEqualTo("maybe here\t5\nnot here\tx\n");
    assertThat(Command.reading("x\n", "check", filter).code()).isZero();
    assertThat(Command.reading("x\n", "check", "-s", filter).code()).isEqualTo(ExitCode.NO);
    assertThat(Command.reading("5\0x\0", "check", "-0", filter).out()).isEqualTo("5\0");
    Command json = Command.reading(asked, "check", "--json", filter);
    assertThat(json.err()).contains("\"lines\":1000,\"maybeHere\":500,\"notHere\":500");
    assertThat(json.out()).isEqualTo(numbers(500, 1000));
  }

  @Test
  void aDamagedPage_isUnknownAndNeverNotHere() throws IOException {
    String filter = path("f.wbird");
    good(Command.reading(numbers(0, 20_000), "build", "-o", filter));
    byte[] bytes = Files.readAllBytes(Path.of(filter));
    bytes[256 + 4096 + 17] ^= 4;
    Files.write(Path.of(filter), bytes);
    Command lines = Command.reading(numbers(0, 40_000), "check", "-v", filter);
    assertThat(lines.out().lines()).isNotEmpty().allMatch(line -> Integer.parseInt(line) >= 20_000);
    assertThat(lines.code()).isEqualTo(4);
    assertThat(lines.err()).contains("damaged; \"unknown\" counts as maybe here");
    boolean unknown = false;
    for (int i = 0; i < 200 && !unknown; i++) {
      Command one = Command.run("check", filter, "absent" + i);
      unknown = one.out().equals("unknown\n");
      assertThat(one.code()).isEqualTo(unknown ? 4 : one.out().startsWith("not") ? ExitCode.NO : 0);
    }
    assertThat(unknown).isTrue();
  }

  @Test
  void numbersAndUuids_areKeysOfTheirKinds() throws IOException {
    String ints = path("ints.wbird");
    good(Command.reading("1\n-5\n", "build", "--key", "int", "-o", ints));
    assertThat(Command.run("check", ints, "1", "+1", "0001").code()).isZero();
    assertThat(Command.run("check", "--", ints, "-5").out()).isEqualTo("maybe here\n");
    try (OpenFilter<Long> filter = Woodbird.open(Path.of(ints), Keys.longs())) {
      assertThat(filter.mightContainLong(-5L)).isTrue();
    }
    UUID uuid = UUID.fromString("00112233-4455-6677-8899-aabbccddeeff");
    String uuids = path("uuids.wbird");
    good(Command.reading(uuid + "\n", "build", "--key", "uuid", "-o", uuids));
    assertThat(
            Command.run("check", uuids, uuid.toString().toUpperCase(java.util.Locale.ROOT)).code())
        .isZero();
    assertThat(Command.run("verify", uuids, "--probes", "1000").code()).isZero();
  }

  @Test
  void merge_holdsTheKeysOfBoth() throws IOException {
    good(Command.run("build", lines("eu.txt", 0, 1000), "-n", "2000"));
    good(Command.run("build", lines("us.txt", 1000, 2000), "--like", path("eu.wbird")));
    good(Command.run("merge", path("eu.wbird"), path("us.wbird"), "-o", path("all.wbird")));
    Command check = Command.reading(numbers(0, 2000), "check", "-c", path("all.wbird"));
    assertThat(check.out()).isEqualTo("2000\n");
    good(Command.run("build", lines("more.txt", 2000, 9000), "--like", path("eu.wbird")));
    Command over =
        Command.run(
            "merge", path("eu.wbird"), path("more.wbird"), "-o", path("over.wbird"), "--strict");
    assertThat(over.code()).isEqualTo(5);
    assertThat(folder.resolve("over.wbird")).doesNotExist();
    assertThat(Command.run("info", "--strict", path("more.wbird")).code()).isEqualTo(5);
  }

  /** As of "cat *.wbird": the keys of the second would be lost or denied. */
  @Test
  void aFileWithTwoFilters_isTakenForNeither() throws IOException {
    for (String family : List.of("bloom", "deletable")) {
      String one = path(family + "1.wbird");
      String two = path(family + "2.wbird");
      good(Command.reading("a\n", "build", "--family", family, "--seed", "1", "-o", one));
      good(Command.reading("b\n", "build", "--family", family, "--seed", "1", "-o", two));
      Files.write(Path.of(one), Files.readAllBytes(Path.of(two)), StandardOpenOption.APPEND);
      byte[] before = Files.readAllBytes(Path.of(one));
      List<String[]> calls = new ArrayList<>();
      calls.add(new String[] {"check", one, "b"});
      calls.add(new String[] {"add", one, "c"});
      if (family.equals("bloom")) {
        calls.add(new String[] {"merge", one, two, "-o", path("all.wbird")});
        calls.add(new String[] {"new", "-s", one});
      } else {
        calls.add(new String[] {"remove", one, "a"});
      }
      for (String[] words : calls) {
        Command command = Command.run(words);
        assertThat(command.code()).as(words[0] + ": " + command.err()).isEqualTo(4);
        assertThat(command.out()).isEmpty();
      }
      assertThat(Path.of(one)).hasBinaryContent(before);
    }
  }

  @Test
  void planAndInfo_sayWhatTheyAlwaysSaid() throws IOException {
    golden("plan.txt", built(Command.run("plan", "-n", "10M", "-p", "0.1%").out()));
    golden("plan-budget.txt", built(Command.run("plan", "-n", "2e9", "--budget", "500MB").out()));
    String json = Command.run("plan", "-n", "2e9", "--budget", "500MB", "--json").out();
    assertThat(json)
        .startsWith(
            "{\"schema\":\"woodbird.plan/1\",\"keys\":2000000000,\"fpp\":null,"
                + "\"budgetBytes\":500000000,\"limitBitsPerKey\":2.0,\"limitFpp\":0.25,")
        .contains(
            "{\"family\":\"ribbon\",\"bytes\":499999112,\"bitsPerKey\":1.9980288,\"fpp\":0.25467")
        .contains(
            "{\"fpp\":0.01,\"family\":\"ribbon\",\"bytes\":1672435112,\"limitBytes\":1660964048}");
    String keys = lines("keys.txt", 0, 10_000);
    good(Command.run("build", keys, "--seed", "42"));
    String filter = path("keys.wbird");
    golden("info.txt", Command.run("info", filter).out().replace(filter, "keys.wbird"));
    golden("info.json", Command.run("info", "--json", filter).out().replace(filter, "keys.wbird"));
  }

  /** What is said of the families that the command line builds. */
  private static String built(String plan) {
    return plan.lines()
        .filter(line -> !line.matches("  (deletable|growing|counting|window) .*"))
        .map(line -> line + "\n")
        .collect(Collectors.joining());
  }

  /** Compares with a file; {@code -DargLine=-Dwoodbird.write} writes it anew. */
  private static void golden(String name, String text) throws IOException {
    Path file = Path.of("src/test/resources/golden", name);
    if (System.getProperty("woodbird.write") != null) {
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }

  @Test
  void otherCharsets_areNoticedAndSaid() throws IOException {
    String latin = "one\nm\u00fcller\nm\u00f6rike\n";
    Command command =
        Command.with(latin.getBytes(StandardCharsets.ISO_8859_1), "build", "-o", path("l.wbird"));
    assertThat(command.err()).contains("warn  2 lines are not UTF-8").contains("iconv");
    assertThat(Command.reading(latin, "build", "-o", path("u.wbird")).err()).doesNotContain("warn");
    byte[] wide = latin.getBytes(StandardCharsets.UTF_16);
    assertThat(Command.with(wide, "build", "-o", path("w.wbird")).err())
        .contains("warn  stdin begins with a UTF-16 byte order mark")
        .doesNotContain("not UTF-8:");
  }

  @Test
  void crLines_areNoticedAndSaid() throws IOException {
    Command command = Command.reading("a\r\nb\n", "build", "-o", path("f.wbird"));
    assertThat(command.err()).contains("warn  1 line ends in CR, which is part of the key (--crlf");
    Command told = Command.reading("a\r\nb\n", "build", "--crlf", "-o", path("g.wbird"));
    assertThat(told.err()).doesNotContain("warn");
    assertThat(Command.run("check", path("g.wbird"), "a").code()).isZero();
  }

  /** A list that is empty by mistake makes a filter that denies everything. */
  @Test
  void noLines_areSaid_unlessThereShallBeRoom() {
    Command empty = Command.reading("", "build", "-q", "-o", path("e.wbird"));
    assertThat(empty.err()).contains("warn  there was no line, so every key is \"not here\"");
    assertThat(empty.code()).isZero();
    Command room = Command.reading("", "build", "-q", "-n", "100", "-o", path("r.wbird"));
    assertThat(room.err()).isEmpty();
  }

  /** Who compares lines with a filter would be told that none of them is in it. */
  @Test
  void aFilterThatIsReadAsLines_isSaid() throws IOException {
    Files.writeString(folder.resolve("a.txt"), "crow\n");
    assertThat(Command.run("build", "-q", path("a.txt")).err()).isEmpty();
    Command command = Command.run("diff", path("a.txt"), path("a.wbird"));
    assertThat(command.err())
        .contains("a.wbird is a filter file, and its bytes were taken for lines");
    assertThat(Command.run("diff", path("a.txt"), path("a.txt")).err()).doesNotContain("warn");
  }

  @Test
  void newWithoutAFolder_saysWhichOneIsMissing() {
    Command command = Command.reading("crow\n", "new", "-s", path("none/seen.wbird"));
    assertThat(command.err()).contains("There is no folder " + path("none") + ".");
    assertThat(command.code()).isEqualTo(3);
    assertThat(command.out()).isEmpty();
  }

  @Test
  void aFolder_isCalledOne() {
    assertThat(Command.run("build", folder.toString()).err()).contains(folder + " is a folder.");
    assertThat(Command.run("check", folder.toString(), "crow").err())
        .contains("It is a folder.")
        .doesNotContain("woodbird build");
    assertThat(Command.run("info").err()).contains("'info' needs FILTER...\n");
  }

  @Test
  void progress_isDrawnOnTerminalsAndWiped() throws IOException {
    // "always" is for people who know; here it shows that what is drawn is wiped.
    Command command =
        Command.reading(numbers(0, 10), "build", "--progress", "always", "-o", path("p.wbird"));
    assertThat(command.err()).contains("p.wbird  bloom, 10 lines");
    assertThat(command.out()).isEmpty();
  }

  @Test
  void writing_toAStreamThatFails_leavesNoFile() throws IOException {
    Filter<String> filter = Woodbird.bloom(Keys.strings(), 10).build();
    filter.writeTo(OutputStream.nullOutputStream());
    Command command = Command.run("build", path("none"), "-o", path("out.wbird"));
    assertThat(command.code()).isEqualTo(3);
    try (var files = Files.list(folder)) {
      assertThat(files).isEmpty();
    }
  }
}
