package io.woodbird.example.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TableStoreTest {
  @TempDir private Path folder;

  @Test
  void filtersSaveNearlyAllReadsThatFindNothing() throws Exception {
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    PrintStream console = System.out;
    System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
    try {
      TableStore.main(new String[] {folder.toString()});
    } finally {
      System.setOut(console);
    }
    String text = output.toString(StandardCharsets.UTF_8);
    long without = reads(text, "without filters:");
    long with = reads(text, "with filters:");
    // 5,000 reads find something. Of the others 1 % remain.
    assertThat(without).isGreaterThan(70_000);
    assertThat(with).isBetween(5_000L, 6_000L);
    assertThat(text).containsPattern("without filters: +10,000 look-ups in 10 tables, 5,000 found");
  }

  private static long reads(String text, String line) {
    Matcher matcher = Pattern.compile(line + ".*: +([0-9,]+) disk reads").matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return Long.parseLong(matcher.group(1).replace(",", ""));
  }

  @Test
  void theNewestValueWins_withAndWithoutFilters() throws Exception {
    TreeMap<String, String> old = new TreeMap<>();
    TreeMap<String, String> fresh = new TreeMap<>();
    for (int i = 0; i < 1000; i++) {
      old.put("key " + i, "old " + i);
      fresh.put("key " + 2 * i, "new " + i);
    }
    Table.write(folder.resolve("old"), old);
    Table.write(folder.resolve("new"), fresh);
    Table.write(folder.resolve("none"), new TreeMap<>());
    List<Path> paths =
        List.of(folder.resolve("none"), folder.resolve("new"), folder.resolve("old"));
    for (boolean filtered : new boolean[] {false, true}) {
      try (TableStore store = TableStore.open(paths, filtered)) {
        assertThat(store.get("key 10")).isEqualTo("new 5");
        assertThat(store.get("key 11")).isEqualTo("old 11");
        assertThat(store.get("key 1998")).isEqualTo("new 999");
        assertThat(store.get("a")).isNull();
        assertThat(store.get("zebra")).isNull();
      }
    }
  }
}
