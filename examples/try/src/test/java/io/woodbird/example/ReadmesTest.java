package io.woodbird.example;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Woodbird;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every example has a README, its one command works, and prints what the README says. */
final class ReadmesTest {
  private static final Path ROOT = Path.of("../..").toAbsolutePath().normalize();
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\n(.*?)^```$");

  /** Arguments with which a program does a part of its work, and prints the same lines. */
  private static final Map<String, String> LESS = Map.of("spring-guard", " 10");

  /**
   * Starts three JVMs with Spark in them, which takes as long as all other examples. Its own test
   * compares the lines by default.
   */
  private static final String LONG = "spark-blocklist";

  /** Options for JVMs that live for seconds: to compile more would cost more than it gives. */
  private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  @TempDir private Path folder;

  static Stream<String> examples() throws IOException {
    try (Stream<Path> all = Files.list(ROOT.resolve("examples"))) {
      return all
          .filter(path -> Files.isDirectory(path) && !path.endsWith("try"))
          .map(path -> path.getFileName().toString())
          .filter(name -> !name.equals("target"))
          .sorted()
          .toList()
          .stream();
    }
  }

  private static List<String> blocks(String example) throws IOException {
    String readme =
        Files.readString(ROOT.resolve("examples").resolve(example).resolve("README.md"));
    assertThat(readme).startsWith("# ");
    return BLOCK.matcher(readme).results().map(found -> found.group(1)).toList();
  }

  static Stream<String> shortExamples() throws IOException {
    return examples().filter(name -> !name.equals(LONG));
  }

  @ParameterizedTest
  @MethodSource("shortExamples")
  void theCommand_printsWhatTheReadmeSays(String example) throws Exception {
    run(example);
  }

  @Tag("slow")
  @Test
  void theLongCommand_printsWhatTheReadmeSays() throws Exception {
    run(LONG);
  }

  /** The first part of a command builds, which the build that runs this test has done already. */
  private void run(String example) throws Exception {
    List<String> blocks = blocks(example);
    String command = blocks.get(0).strip();
    assertThat(command.lines()).as("one command").hasSize(1);
    assertThat(command).contains(" && ");
    String run =
        command
            .substring(command.indexOf(" && ") + 4)
            .replaceFirst("^java ", "java " + SHORT_LIVED + " ")
            .replaceAll("\\bexamples/", "\\$ROOT/examples/")
            .replace("core/target/*", origin(Woodbird.class))
            .concat(LESS.getOrDefault(example, ""));
    Path out = folder.resolve("out.txt");
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", run);
    builder.environment().put("ROOT", ROOT.toString());
    builder.environment().put("WOODBIRD", ROOT.resolve("cli/src/dist/bin/woodbird").toString());
    builder.environment().put("WOODBIRD_JAR", ROOT.resolve("cli/target/woodbird.jar").toString());
    builder.environment().put("WOODBIRD_CACHE", folder.resolve("cache").toString());
    builder.environment().put("WOODBIRD_TRAIN", "now");
    builder.environment().put("WOODBIRD_JAVA_OPTS", SHORT_LIVED);
    Process process =
        builder
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile())
            .start();
    boolean ended = process.waitFor(10, TimeUnit.MINUTES);
    process.destroyForcibly();
    String said = Files.readString(out);
    assertThat(ended).as(said).isTrue();
    assertThat(process.exitValue()).as("%s%n%s", run, said).isZero();
    if (blocks.size() > 1) {
      assertThat(shape(said)).as("the output, without its numbers").isEqualTo(shape(blocks.get(1)));
    }
  }

  private static String origin(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI()).toString();
  }

  /**
   * A text without its numbers, without the width of its columns, and without what is logged: on a
   * busy machine a guard may say that its database answers late.
   */
  private static String shape(String text) {
    return text.replaceAll("(?m)^.* (INFO|WARN) woodbird: .*\\R", "")
        .replaceAll("[0-9][0-9,.]*", "0")
        .replaceAll(" +", " ")
        .strip();
  }

  @Test
  void theIndex_namesEveryExample() throws IOException {
    String index = Files.readString(ROOT.resolve("examples/README.md"));
    assertThat(examples())
        .hasSize(9)
        .allMatch(name -> index.contains("[" + name + "](" + name + ")"));
  }
}
