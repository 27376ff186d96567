package io.woodbird.testkit.museum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every bug of the museum can still be put back, its test is there, and the pages list it. */
class MuseumTest {
  private static final Path ROOT = Path.of("..");
  private static final String BEGIN = "<!-- mutants -->\n";
  private static final String END = "<!-- end -->\n";

  @Test
  void everyMutantFitsTheCode() throws IOException {
    for (Mutant mutant : Mutant.all(ROOT)) {
      assertThat(mutant.edits()).as(mutant.name()).isNotEmpty();
      assertThat(mutant.applyTo(ROOT)).as(mutant.name()).isNotEmpty();
    }
  }

  @Test
  void everyTestIsThere() throws IOException {
    String contracts = contracts();
    for (Mutant mutant : Mutant.all(ROOT)) {
      Mutant.Test test = mutant.test();
      String source = Files.readString(test.source(ROOT));
      assertThat(source.contains("Contract<") ? source + contracts : source)
          .as(mutant.name())
          .contains(" void " + test.method() + "(");
    }
  }

  /** The methods that tests of filters inherit. */
  private static String contracts() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("src/main/java/io/woodbird/testkit"))) {
      StringBuilder all = new StringBuilder();
      for (Path file : files.filter(path -> path.toString().endsWith("Contract.java")).toList()) {
        all.append(Files.readString(file));
      }
      return all.toString();
    }
  }

  @Test
  void thereAreManyAndEachIsToldOnce() throws IOException {
    List<Mutant> all = Mutant.all(ROOT);
    assertThat(all).hasSizeGreaterThanOrEqualTo(80);
    assertThat(all).extracting(Mutant::name).doesNotHaveDuplicates();
    assertThat(all)
        .allSatisfy(
            mutant -> {
              assertThat(mutant.history()).endsWith(".");
              assertThat(mutant.historyInChinese()).endsWith("\u3002");
            });
  }

  @Test
  void aTextThatIsNotThereOnceIsRefused() {
    Mutant.Edit edit = new Mutant.Edit("A.java", "b", "c");
    assertThat(edit.applyTo("abd")).isEqualTo("acd");
    assertThatThrownBy(() -> edit.applyTo("abbd")).hasMessageContaining("A.java");
    assertThatThrownBy(() -> edit.applyTo("ad")).hasMessageContaining("A.java");
  }

  /** With -Dwoodbird.write the tables are written anew. */
  @Test
  void thePagesListThem() throws IOException {
    List<Mutant> all = Mutant.all(ROOT);
    String chinese =
        "\u7f3a\u9677 | \u51fa\u5904 | \u53d1\u751f\u4e86\u4ec0\u4e48 | \u7531\u8c01\u53d1\u73b0";
    page("docs/explanation/museum.md", table(all, "bug | where | what happened | found by", false));
    page("docs/zh/explanation/museum.md", table(all, chinese, true));
  }

  private static String table(List<Mutant> all, String head, boolean chinese) {
    return all.stream()
        .map(
            mutant ->
                String.format(
                    "| `%s` | %s | %s | `%s` |\n",
                    mutant.name(),
                    mutant.where(),
                    chinese ? mutant.historyInChinese() : mutant.history(),
                    mutant.test()))
        .collect(Collectors.joining("", "| " + head + " |\n|---|---|---|---|\n", ""));
  }

  private static void page(String name, String table) throws IOException {
    Path page = ROOT.resolve(name);
    String text = Files.readString(page);
    String expected =
        text.substring(0, text.indexOf(BEGIN) + BEGIN.length())
            + table
            + text.substring(text.indexOf(END));
    if (System.getProperty("woodbird.write") != null) {
      Files.writeString(page, expected);
    }
    assertThat(Files.readString(page)).as(name).isEqualTo(expected);
  }
}
