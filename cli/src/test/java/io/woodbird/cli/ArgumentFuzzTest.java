package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.cli.model.Option;
import io.woodbird.cli.model.Spec;
import io.woodbird.cli.say.ExitCode;
import io.woodbird.testkit.Trials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever the words are: a documented exit code, and no stack trace. */
final class ArgumentFuzzTest {
  @TempDir Path folder;

  private static final List<String> VALUES =
      List.of(
          "",
          "-",
          "--",
          "0",
          "1",
          "7",
          "-1",
          "10k",
          "1e3",
          "1e400",
          "0.1%",
          "1/3",
          "50%",
          "500MB",
          "5M",
          "160MB",
          "bloom",
          "ribbon",
          "fuse",
          "bytes",
          "int",
          "uuid",
          "auto",
          "never",
          "plain",
          "x=y",
          "\u00e9",
          "\u0000",
          "a b",
          "'",
          "$(x)",
          "9223372036854775807",
          "bash",
          "put,delete",
          ".a",
          "guava",
          "bits",
          "djb2-sdbm");

  @Test
  void anyWords_endInADocumentedWay() throws IOException {
    tryWords(1000);
  }

  @Tag("slow")
  @Test
  void manyMoreWords_endInADocumentedWay() throws IOException {
    tryWords(20_000);
  }

  private void tryWords(int lists) throws IOException {
    List<String> files = new ArrayList<>();
    files.add(write("lines.txt", "a\nb\n1\n"));
    files.add(write("empty", ""));
    files.add(write("numbers.txt", "1\n2\n"));
    files.add(write("a.csv", "a,b\n1,2\n"));
    files.add(write("a.json", "{\"a\":1}\n"));
    files.add(write("secret", "0123456789abcdef"));
    files.add(folder.resolve("none").toString());
    files.add(folder.toString());
    for (String family : List.of("bloom", "ribbon", "fuse")) {
      String filter = folder.resolve(family + ".wbird").toString();
      assertThat(Command.run("build", files.get(0), "--family", family, "-o", filter).code())
          .isZero();
      files.add(filter);
    }
    List<Spec> specs = ModelAccess.ownSpecs();
    Trials.run(
        "argument lists",
        lists,
        random -> {
          List<String> words = words(random, specs, files);
          Command command =
              Command.with(new byte[] {'a', '\n', (byte) 0xff}, words.toArray(new String[0]));
          assertThat(command.code()).as("%s: %s", words, command.err()).isIn(0, 2, 3, 4, 5, 6, 10);
          assertThat(command.err())
              .as("%s", words)
              .doesNotContain("\tat ")
              .doesNotContain("WB-999");
          if (command.code() != 0 && command.code() != ExitCode.NO) {
            String bare = command.err().replaceAll("\u001b\\[[0-9]+m", "");
            assertThat(bare).as("%s", words).containsPattern("x WB-[0-9]{3}  .|warn  ");
          }
        });
  }

  private String write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private List<String> words(SplittableRandom random, List<Spec> specs, List<String> files) {
    List<String> words = new ArrayList<>();
    Spec spec = specs.get(random.nextInt(specs.size()));
    // The console serves until it is stopped.
    boolean slow = Set.of("demo", "bench", "console").contains(spec.name());
    words.add(random.nextInt(50) == 0 ? VALUES.get(random.nextInt(VALUES.size())) : spec.name());
    for (int i = random.nextInt(7); i > 0; i--) {
      List<Option> options = spec.allOptions();
      Option option = options.get(random.nextInt(options.size()));
      switch (random.nextInt(6)) {
        case 0 -> words.add(VALUES.get(random.nextInt(VALUES.size())));
        case 1, 2 -> words.add(files.get(random.nextInt(files.size())));
        case 3 -> words.add("--" + option.name() + "=" + VALUES.get(random.nextInt(VALUES.size())));
        default -> {
          words.add(
              option.letter() != 0 && random.nextBoolean()
                  ? "-" + option.letter()
                  : "--" + option.name());
          if (option.value() != null && random.nextInt(8) != 0) {
            words.add(value(random, option, files));
          }
        }
      }
    }
    words.removeIf(word -> word.startsWith("--debug")); // That one is asked to show them.
    // What is written stays in the folder of the test.
    words.removeIf(word -> word.matches("-o|-s|--output.*|--state.*|--new-key.*"));
    if (spec.option("state") != null) {
      words.add("--state");
      words.add(folder.resolve("state" + random.nextInt(3)).toString());
    }
    if (slow) {
      words.add("--help");
    } else if (spec.option("output") != null) {
      words.add("--output");
      words.add(folder.resolve("out" + random.nextInt(3)).toString());
    }
    return words;
  }

  private static String value(SplittableRandom random, Option option, List<String> files) {
    if (!option.choices().isEmpty() && random.nextInt(4) != 0) {
      return option.choices().get(random.nextInt(option.choices().size()));
    }
    List<String> from = option.takesFile() && random.nextInt(4) != 0 ? files : VALUES;
    return from.get(random.nextInt(from.size()));
  }
}
