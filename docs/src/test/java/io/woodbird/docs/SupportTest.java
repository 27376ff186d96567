package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The support matrix: each line names a test that runs when it says, with the build's version. */
final class SupportTest {
  private static final Pattern TEST = Pattern.compile("`([A-Z]\\w*Test)`");
  private static final Pattern VERSION = Pattern.compile("`(\\d[\\w.-]*)`");
  private static final Pattern SLOW_CLASS =
      Pattern.compile("(?m)^@Tag\\(\"slow\"\\)\\R(?:@.*\\R)*(?:public )?(?:final )?class ");

  private record Row(String what, String version, String tests, String command) {}

  private static List<Row> rows(String page) {
    List<Row> rows = new ArrayList<>();
    for (String line : Page.read(page).prose().lines().toList()) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 6 && !line.contains("---")) {
        rows.add(new Row(cells[1].strip(), cells[2].strip(), cells[3].strip(), cells[4].strip()));
      }
    }
    return rows;
  }

  private static List<Path> sources(String test) {
    try (Stream<Path> files = Files.walk(Page.root())) {
      return files
          .filter(file -> file.endsWith(test + ".java"))
          .filter(file -> !Page.root().relativize(file).toString().matches("(.*/)?target/.*"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"docs/reference/support.md", "docs/zh/reference/support.md"})
  void everyLine_namesATestThatRunsWhenItSays(String page) throws IOException {
    String versions = Files.readString(Page.root().resolve("pom.xml"));
    List<Row> rows = rows(page);
    assertThat(rows).hasSizeGreaterThan(25);
    for (Row row : rows) {
      for (MatchResult version : VERSION.matcher(row.version).results().toList()) {
        assertThat(versions).as("%s", row).contains(">" + version.group(1) + "<");
      }
      for (MatchResult test : TEST.matcher(row.tests).results().toList()) {
        List<Path> sources = sources(test.group(1));
        assertThat(sources).as("%s", row).isNotEmpty();
        String source = Files.readString(sources.get(0));
        assertThat(source).as("%s", row).doesNotContain("abstract class " + test.group(1));
        boolean slow = SLOW_CLASS.matcher(source).find();
        assertThat(row.command).as("%s", row).startsWith(slow ? "`./check --slow`" : "`./check`");
      }
    }
  }

  /** What nothing runs has no command, and what has a command is run by something. */
  @Test
  void notTested_isSaidWhereNoTestIs() {
    for (Row row : rows("docs/reference/support.md")) {
      if (!row.what.equals("what")) {
        assertThat(row.command.isEmpty()).as("%s", row).isEqualTo(row.tests.equals("not tested"));
      }
    }
  }

  @Test
  void bothLanguages_sayTheSame() {
    List<Row> chinese = rows("docs/zh/reference/support.md");
    List<Row> english = rows("docs/reference/support.md");
    assertThat(chinese).hasSameSizeAs(english);
    for (int i = 0; i < english.size(); i++) {
      assertThat(names(chinese.get(i).tests)).isEqualTo(names(english.get(i).tests));
      assertThat(chinese.get(i).command.isEmpty()).isEqualTo(english.get(i).command.isEmpty());
    }
  }

  private static List<String> names(String cell) {
    return TEST.matcher(cell).results().map(MatchResult::group).toList();
  }
}
