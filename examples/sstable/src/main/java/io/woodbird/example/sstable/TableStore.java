package io.woodbird.example.sstable;

import io.woodbird.key.Keys;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A store of sorted tables, newest first, as in an LSM tree. A filter per table saves its reads.
 */
public final class TableStore implements Closeable {
  private final List<Table> tables = new ArrayList<>();
  private final boolean filtered;

  private TableStore(boolean filtered) {
    this.filtered = filtered;
  }

  static TableStore open(List<Path> newestFirst, boolean filtered) throws IOException {
    TableStore store = new TableStore(filtered);
    for (Path path : newestFirst) {
      store.tables.add(Table.open(path));
    }
    return store;
  }

  /** Returns the newest value of a key, or null. */
  @Nullable String get(String key) throws IOException {
    long hash = Keys.strings().hash(key, Table.SEED);
    for (Table table : tables) {
      if (!filtered || table.mightContain(hash)) {
        String value = table.get(key);
        if (value != null) {
          return value;
        }
      }
    }
    return null;
  }

  long reads() {
    return tables.stream().mapToLong(Table::reads).sum();
  }

  @Override
  public void close() throws IOException {
    for (Table table : tables) {
      table.close();
    }
  }

  /**
   * Writes ten tables of ten thousand keys and looks up keys with and without filters.
   *
   * @param args the folder for the tables, a temporary one if none is given
   * @throws IOException if they can't be written or read
   */
  public static void main(String[] args) throws IOException {
    Path folder =
        args.length > 0 ? Path.of(args[0]) : Files.createTempDirectory("woodbird-sstable");
    Files.createDirectories(folder);
    List<Path> newestFirst = new ArrayList<>();
    for (int number = 9; number >= 0; number--) {
      SortedMap<String, String> entries = new TreeMap<>();
      for (int i = 0; i < 10_000; i++) {
        entries.put("user-" + (i * 10 + number), "value " + i);
      }
      Path path = folder.resolve("table-" + number);
      Table.write(path, entries);
      newestFirst.add(path);
    }
    for (boolean filtered : new boolean[] {false, true}) {
      try (TableStore store = open(newestFirst, filtered)) {
        int found = 0;
        for (int i = 0; i < 200_000; i += 20) {
          found += store.get("user-" + (i + i / 20 % 10)) != null ? 1 : 0; // Half are in.
        }
        System.out.printf(
            "%-16s 10,000 look-ups in 10 tables, %,d found: %,7d disk reads%n",
            filtered ? "with filters:" : "without filters:", found, store.reads());
      }
    }
  }
}
