package io.woodbird.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables of numbers are what the results say. */
final class NumbersTest {
  /** Set to write the pages anew: {@code -DargLine=-Dwoodbird.write}. */
  private static final boolean WRITE = System.getProperty("woodbird.write") != null;

  @Test
  void noNumber_isStale() throws IOException {
    Numbers numbers = new Numbers(Page.root().resolve("docs/benchmarks"));
    int regions = 0;
    for (String name : Page.all()) {
      Path file = Page.root().resolve(name);
      String text = Files.readString(file);
      String fresh = numbers.refresh(text);
      if (WRITE && !fresh.equals(text)) {
        Files.writeString(file, fresh);
        text = fresh;
      }
      assertThat(text).as("%s, written anew with -Dwoodbird.write", name).isEqualTo(fresh);
      regions += fresh.split("<!-- numbers: ", -1).length - 1;
    }
    assertThat(regions).isPositive();
  }

  @Test
  void aStaleNumber_isNoticed() throws IOException {
    Numbers numbers = new Numbers(Path.of("none"));
    String page = "text\n<!-- numbers: sizes -->\n| family | 99 |\n<!-- end -->\ntext\n";
    assertThat(numbers.refresh(page)).isNotEqualTo(page).doesNotContain("99 |").contains("ribbon");
  }

  @Test
  void results_becomeATable(@TempDir Path folder) throws IOException {
    for (String section : new String[] {"cache", "memory", "strings"}) {
      String keys = section.equals("strings") ? "strings" : "longs";
      Files.writeString(
          folder.resolve(section + ".json"),
          """
          {"date": "2026-11-16T03:00:00Z", "command": "bench/run", "machine": {"cpu": "A chip",
           "jdk": "17.0.9+9"}, "promises": [{"kept": true}, {"kept": false}], "rows": [
            {"who": "woodbird", "metric": "ask", "keys": "%1$s", "n": 100, "workload": "hit", "value": 9.0},
            {"who": "woodbird", "metric": "ask", "keys": "%1$s", "n": 100, "workload": "miss", "value": 1.26},
            {"who": "woodbird", "metric": "ask", "keys": "%1$s", "n": 50, "workload": "miss", "value": 7.0},
            {"who": "woodbird", "metric": "bitsPerKey", "keys": "%1$s", "n": 100, "value": 10.27},
            {"who": "woodbird", "metric": "fpp", "keys": "%1$s", "n": 100, "value": 0.0099},
            {"who": "guava", "metric": "ask", "keys": "%1$s", "n": 100, "workload": "miss", "value": 30.04}
          ]}
          """
              .formatted(keys));
    }
    Files.writeString(
        folder.resolve("cache-jdk25.json"),
        """
        {"promises": [], "rows": [
          {"who": "woodbird", "metric": "ask", "keys": "longs", "n": 100, "workload": "miss", "value": 2.5}
        ]}
        """);
    String table = new Numbers(folder).refresh("<!-- numbers: speed -->\nold\n<!-- end -->\n");
    assertThat(table)
        .contains("key not there, JDK 17 / 25 | 100 longs, in cache |")
        .contains("| **Woodbird** `bloom` | 1.3 / 2.5 | 1.3 | 1.3 | 10.3 | 0.99 % |")
        .contains("| Guava `BloomFilter` | 30.0 | 30.0 | 30.0 |  |  |")
        .contains(
            "A chip, JDK 17.0.9, 2026-11-16, `bench/run cache memory strings`; 3 of the 6 ratios that we promise were"
                + " reached.")
        .doesNotContain("old");
  }

  @Test
  void whatWasMeasuredInAHurry_isNotPublished(@TempDir Path folder) throws IOException {
    for (String section : new String[] {"cache", "memory", "strings"}) {
      Files.writeString(folder.resolve(section + ".json"), "{\"quick\": true}");
    }
    assertThat(new Numbers(folder).refresh("<!-- numbers: speed -->\nold\n<!-- end -->\n"))
        .contains("Not measured yet");
  }
}
