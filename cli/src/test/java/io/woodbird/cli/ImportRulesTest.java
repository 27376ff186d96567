package io.woodbird.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The command line computes no bit itself: it uses what core exports, and nothing behind it. */
final class ImportRulesTest {
  private static final Pattern OURS =
      Pattern.compile("\\bimport (?:static )?io\\.woodbird((?:\\.[a-z]+)*)\\.[A-Z]");
  private static final Set<String> ALLOWED =
      Set.of(
          "",
          ".key",
          ".classic",
          ".console",
          ".console.shared",
          ".redis",
          ".cli",
          ".cli.model",
          ".cli.say",
          ".cli.lines",
          ".cli.verb");

  @Test
  void onlyExportedPackages_areUsed() throws IOException {
    Set<String> used = new TreeSet<>();
    List<Path> sources;
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      sources = files.filter(file -> file.toString().endsWith(".java")).toList();
    }
    for (Path source : sources) {
      Matcher found = OURS.matcher(Files.readString(source));
      while (found.find()) {
        used.add(found.group(1));
      }
    }
    assertThat(sources).hasSizeGreaterThan(30);
    assertThat(used).contains("", ".key").isSubsetOf(ALLOWED);
  }

  @Test
  void theModel_knowsNoVerbAndNoFilter() throws IOException {
    for (String folder : List.of("model", "say")) {
      try (Stream<Path> files = Files.list(Path.of("src/main/java/io/woodbird/cli", folder))) {
        for (Path source : files.toList()) {
          Matcher found = OURS.matcher(Files.readString(source));
          while (found.find()) {
            assertThat(found.group(1))
                .as("%s", source)
                .isIn(".cli.say", ".cli.model", ".console.shared");
          }
        }
      }
    }
  }
}
