package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.say.ExitCode;
import io.woodbird.cli.say.Problem;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code build --family map|exact|window}, and what {@code check} and {@code add} make of them. */
final class ListBuildTest {
  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private String path(String name) {
    return folder.resolve(name).toString();
  }

  private static Command done(Command command) {
    assertThat(command.code()).as(command.err()).isZero();
    return command;
  }

  private static String numbered(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "key " + i + "\n").collect(Collectors.joining());
  }

  @Test
  void map_saysWhichFileALineIsIn() throws IOException {
    String map = path("lists.wbird");
    String spam = file("spam.txt", numbered(0, 300));
    String bad = file("bad.txt", numbered(300, 500));
    done(Command.run("build", "--family", "map", "-p", "1e-9", "-o", map, spam, bad));
    assertThat(done(Command.run("check", map, "key 7")).out()).isEqualTo("value 1\n");
    assertThat(done(Command.run("check", map, "key 301", "key 8")).out())
        .isEqualTo("value 2\tkey 301\nvalue 1\tkey 8\n");
    Command stranger = Command.run("check", map, "nobody");
    assertThat(stranger.out()).isEqualTo("not here\n");
    assertThat(stranger.code()).isEqualTo(ExitCode.NO);
    assertThat(Command.run("check", "--json", map, "key 301").out()).contains("\"value\":2}");
    assertThat(Command.reading("key 0\nno\nkey 300\n", "check", "--both", map).out())
        .isEqualTo("value 1\tkey 0\nnot here\tno\nvalue 2\tkey 300\n");
    assertThat(Command.run("info", map).out()).contains("ribbon map, values of 2 bits");
  }

  @Test
  void map_takesValuesFromAField() throws IOException {
    String map = path("map.wbird");
    String csv = file("a.csv", "list,host\n3,a.example\n18446744073709551615,\"b,c\"\n0,\n");
    String[] build = {
      "build",
      "--family",
      "map",
      "-f",
      "-o",
      map,
      "--csv",
      "--field",
      "host",
      "--value-field",
      "list",
      csv
    };
    done(Command.run(build));
    assertThat(Command.run("check", map, "a.example", "b,c", "").out())
        .isEqualTo("value 3\ta.example\nvalue 18446744073709551615\tb,c\nvalue 0\t\n");

    assertThat(Command.run("check", "--json", map, "b,c").out())
        .contains("\"value\":18446744073709551615}");

    Command json =
        Command.reading(
            "{\"id\":\"x\",\"at\":{\"tier\":5}}\n{\"id\":\"y\",\"at\":{\"tier\":6}}\n",
            "build",
            "--family",
            "map",
            "--no-check",
            "-f",
            "-o",
            map,
            "--json-field",
            "id",
            "--value-field",
            ".at.tier");
    done(json);
    assertThat(Command.run("check", map, "x", "y").out()).isEqualTo("value 5\tx\nvalue 6\ty\n");
    assertThat(Command.run("check", map, "stranger").out()).startsWith("value ");

    file("a.csv", "list,host\n3,a\n-1,b\n");
    Command wrong = Command.run(build);
    assertThat(wrong.code()).isEqualTo(Problem.NO_FIELD.exitCode());
    assertThat(wrong.err())
        .contains("line 3: its value \"-1\" is no whole number from 0 to 2^64 - 1.");
  }

  @Test
  void map_namesALineWithTwoValues() throws IOException {
    String map = path("map.wbird");
    String one = file("1.txt", "a\nboth\nb\n");
    String two = file("2.txt", "both\nc\nboth\n");
    Command command = Command.run("build", "--family", "map", "-o", map, one, two);
    assertThat(command.code()).isEqualTo(Problem.CONTRADICTION.exitCode());
    assertThat(command.err())
        .contains(Problem.CONTRADICTION.code())
        .contains("key \"both\" has two values, ")
        .contains("--combine or");
    assertThat(Path.of(map)).doesNotExist();

    String[] combined = {
      "build", "--family", "map", "-f", "-o", map, "--combine", "or", one, two, file("3.txt", "d\n")
    };
    done(Command.run(combined));
    assertThat(Command.run("check", map, "a", "both", "c", "d").out())
        .isEqualTo("value 1\ta\nvalue 3\tboth\nvalue 2\tc\nvalue 4\td\n");
    combined[7] = "max";
    done(Command.run(combined));
    assertThat(Command.run("check", map, "a", "both", "d").out())
        .isEqualTo("value 1\ta\nvalue 2\tboth\nvalue 3\td\n");

    Command pipe =
        Command.reading(
            "x:1\nx:2\n",
            "build",
            "--family",
            "map",
            "-f",
            "-o",
            map,
            "--delimiter",
            ":",
            "--value-field",
            "2");
    assertThat(pipe.code()).isEqualTo(Problem.CONTRADICTION.exitCode());
    assertThat(pipe.err()).contains("a key with hash 0x").contains("has two values");
  }

  @Test
  void exact_isNeverWrongAboutTheOthers() throws IOException {
    String filter = path("blocked.wbird");
    String blocked = file("blocked.txt", numbered(0, 500));
    String customers = file("customers.txt", numbered(500, 20_500));
    done(Command.run("build", "--family", "exact", "--against", customers, blocked));
    assertThat(Command.run("check", "-c", filter, "--from", blocked).out()).isEqualTo("500\n");
    assertThat(Command.run("check", "-c", filter, "--from", customers).out()).isEqualTo("0\n");
    assertThat(Command.run("info", filter).out()).contains("exact");

    String some = file("some.txt", numbered(0, 5));
    Command both =
        Command.run(
            "build", "--family", "exact", "-f", "--against", some, "--against", customers, blocked);
    assertThat(both.code()).isEqualTo(Problem.CONTRADICTION.exitCode());
    assertThat(both.err()).containsPattern("is also one of the others .*\"key [0-4]\"");
    assertThat(Command.run("check", "-c", filter, "--from", blocked).out()).isEqualTo("500\n");

    Command twice =
        Command.reading("a\n", "build", "--family", "exact", "--against", "-", "-o", path("x"));
    assertThat(twice.code()).isEqualTo(Problem.CONFLICT.exitCode());
    Command over =
        Command.run("build", "--family", "exact", "-f", "--against", some, "-o", some, customers);
    assertThat(over.code()).isEqualTo(Problem.SAME_FILE.exitCode());
    assertThat(over.err()).contains(some + " is also an input.");
    Command budget =
        Command.run("build", "--family", "exact", "--budget", "1MB", "--against", some, customers);
    assertThat(budget.code()).isEqualTo(Problem.CONFLICT.exitCode());
  }

  @Test
  void window_keepsTheLastKeys() throws IOException {
    String window = path("seen.wbird");
    String old = file("seen.txt", numbered(0, 1000));
    done(Command.run("build", "--family", "window", "-n", "1000", "-p", "1e-6", old));
    assertThat(Command.run("check", "-c", window, "--from", old).out()).isEqualTo("1000\n");
    String more = file("more.txt", numbered(1000, 9000));
    assertThat(done(Command.run("add", window, "--from", more)).err()).doesNotContain("planned");
    String last = file("last.txt", numbered(8000, 9000));
    assertThat(Command.run("check", "-c", window, "--from", last).out()).isEqualTo("1000\n");
    assertThat(Command.run("check", "-c", window, "--from", old).out()).isEqualTo("0\n");
    assertThat(Command.run("remove", window, "key 8999").code())
        .isEqualTo(Problem.WRONG_FAMILY.exitCode());
  }

  /** Lines whose hashes begin alike look like few to whoever counts them by their first bits. */
  @Test
  void window_hasAllLines_alsoIfTheirNumberWasEstimatedTooLow() throws IOException {
    StringBuilder alike = new StringBuilder();
    int count = 0;
    for (int i = 0; count < 4000; i++) {
      byte[] line = ("key " + i).getBytes(StandardCharsets.UTF_8);
      if (Keys.bytes().hash(line, 1) >>> 58 == 0) {
        alike.append("key ").append(i).append('\n');
        count++;
      }
    }
    String lines = file("alike.txt", alike.toString());
    done(Command.run("build", "--family", "window", "--seed", "1", lines));
    done(Command.run("verify", path("alike.wbird"), "--contains", lines));
  }

  @Test
  void plan_knowsMapsAndExactFilters() {
    assertThat(Command.run("plan", "-n", "1M", "--value-bits", "4").out())
        .contains("  map ")
        .contains("10.6")
        .contains("which list a key is on");
    assertThat(Command.run("plan", "-n", "10M", "--others", "1e9").out())
        .contains("never wrong about 1,000,000,000 others")
        .contains("  exact ")
        .containsPattern("limit +10\\.1 MB +8\\.09");
    assertThat(Command.run("plan", "-n", "10M", "--others", "1e9", "--json").out())
        .contains("\"family\":\"exact\"")
        .contains("\"limitFpp\":null")
        .contains("\"buildable\":true");
  }
}
