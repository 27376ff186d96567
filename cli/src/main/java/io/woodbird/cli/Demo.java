package io.woodbird.cli;

import io.woodbird.FilterStats;
import io.woodbird.MappedFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The main job in a few seconds: requests for things that do not exist, with and without a filter.
 */
final class Demo {
  private static final int PRODUCTS = 1_000_000;
  private static final int ATTACKS = 100_000;
  private static final int VISITS = 2_000;
  private static final double FPP = 0.001;

  private final PrintStream out;
  private final SplittableRandom random = new SplittableRandom();

  Demo(PrintStream out) {
    this.out = out;
  }

  void run() {
    out.printf(
        Locale.ROOT,
        "A shop has %,d products. Somebody asks for %,d that do not exist, so no cache ever helps.%n%n",
        PRODUCTS,
        ATTACKS);
    Database database = new Database();
    MutableFilter<Long> ids = Woodbird.bloom(Keys.longs(), PRODUCTS).fpp(FPP).build();
    long start = System.nanoTime();
    for (long id : database.ids()) {
      ids.put(id);
    }
    long built = System.nanoTime() - start;
    FilterStats stats = ids.stats();
    out.printf(
        Locale.ROOT,
        "  filter of all ids   %,d KB, filled in %d ms, %.1f bits a key%n%n",
        stats.bits() / 8 / 1000,
        built / 1_000_000,
        (double) stats.bits() / PRODUCTS);
    attack("without the filter", database, null);
    attack("with the filter", database, ids);
    visit(database, ids);
    reopen(ids);
  }

  /** Asks for products that do not exist; the database needs a little while for each question. */
  private void attack(String name, Database database, @Nullable MutableFilter<Long> ids) {
    database.queries = 0;
    // Without a filter a tenth is enough to see it, or the demo would take long.
    int requests = ids == null ? ATTACKS / 10 : ATTACKS;
    long start = System.nanoTime();
    for (int i = 0; i < requests; i++) {
      long id = PRODUCTS + random.nextLong(1L << 40);
      if (ids == null || ids.mightContain(id)) {
        database.find(id);
      }
    }
    double micros = (System.nanoTime() - start) / 1e3 / requests;
    out.printf(
        Locale.ROOT,
        "  %-18s  %,7d requests, %,7d reached the database (%.2f %%), %,.1f us each%n",
        name,
        requests,
        database.queries,
        100.0 * database.queries / requests,
        micros);
  }

  private void visit(Database database, MutableFilter<Long> ids) {
    int found = 0;
    for (int i = 0; i < VISITS; i++) {
      long id = random.nextLong(PRODUCTS);
      if (ids.mightContain(id) && database.find(id) != null) {
        found++;
      }
    }
    out.printf(
        Locale.ROOT,
        "  %-18s  %,7d requests, %,7d found: none is ever lost%n%n",
        "real visitors",
        VISITS,
        found);
  }

  private void reopen(MutableFilter<Long> ids) {
    try {
      Path file = Files.createTempFile("products", ".wbird");
      try {
        ids.save(file);
        long start = System.nanoTime();
        try (MappedFilter<Long> opened = Woodbird.open(file, Keys.longs())) {
          boolean here = opened.mightContain(42L);
          out.printf(
              Locale.ROOT,
              "Saved to a file of %,d KB and opened again in %.1f ms: product 42 is %s.%n",
              Files.size(file) / 1000,
              (System.nanoTime() - start) / 1e6,
              here ? "maybe here" : "not here");
        }
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A table of products that takes 50 microseconds to answer and counts its questions. */
  private static final class Database {
    private final Map<Long, String> rows = new HashMap<>();
    private int queries;

    Database() {
      for (long id = 0; id < PRODUCTS; id++) {
        rows.put(id, "product " + id);
      }
    }

    Iterable<Long> ids() {
      return rows.keySet();
    }

    @Nullable String find(long id) {
      queries++;
      LockSupport.parkNanos(50_000);
      return rows.get(id);
    }
  }
}
