package io.woodbird.filter.bloom;

import io.woodbird.BloomBuilder;
import io.woodbird.DurableFilter;
import io.woodbird.Woodbird;
import io.woodbird.file.Strace;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The main class of a JVM that puts keys into a durable filter, step by step. */
public final class DurableProgram {
  private static final long EXPECTED = 60_000;
  private static final long SEED = 5;

  private DurableProgram() {}

  static BloomBuilder<Long> builder() {
    return Woodbird.bloom(Keys.longs(), EXPECTED).seed(SEED);
  }

  /** The hashes of a step; not all are new, but every third step brings enough for a fold. */
  static long hash(int step, int i) {
    return Keys.longs().hash(step * 100_000L + i, SEED);
  }

  static int hashes(int step) {
    return step % 3 == 0 ? 150_000 : 2000;
  }

  /** Arguments: file, steps, "checkpoint", "every-put" or "fill". */
  public static void main(String[] args) throws IOException {
    Path path = Path.of(args[0]);
    int steps = Integer.parseInt(args[1]);
    switch (args[2]) {
      case "every-put" -> putEach(path, steps);
      case "fill" -> fill(path);
      default -> {
        // Loads every class that will be needed; closing writes the file as a fold does.
        work(path.resolveSibling("warm-up"), 2);
        Strace.begin();
        work(path, steps);
      }
    }
  }

  private static void work(Path path, int steps) throws IOException {
    try (DurableFilter<Long> filter = builder().file(path)) {
      for (int step = 1; step <= steps; step++) {
        for (int i = 0; i < hashes(step); i++) {
          filter.putHash(hash(step, i));
        }
        filter.checkpoint();
        report(path, "checkpoint " + step);
      }
    } catch (UncheckedIOException | IOException e) {
      report(path, "failed with an IOException: " + e);
      return;
    }
    report(path, "closed");
  }

  private static void report(Path path, String text) {
    if (!path.endsWith("warm-up")) {
      System.out.println(text);
    }
  }

  /** Puts keys for ever, and says each as soon as it is safe. */
  private static void putEach(Path path, int steps) throws IOException {
    DurableFilter<Long> filter = builder().journalEveryPut().file(path);
    System.out.println("recovered " + filter.recovery());
    for (long key = 0; key < steps; key++) {
      filter.putLong(key);
      System.out.println("put " + key);
    }
    filter.close();
  }

  /** Puts keys until the disk is full, then makes room, and looks what is there. */
  private static void fill(Path path) throws IOException {
    Path ballast = path.resolveSibling("ballast");
    Files.write(ballast, new byte[100_000]);
    long key = 0;
    long safe = 0;
    DurableFilter<Long> filter = builder().file(path);
    try {
      for (; key < 1_000_000; key++) {
        filter.putLong(key);
        if (key % 1000 == 999) {
          filter.checkpoint();
          safe = key + 1;
        }
      }
    } catch (UncheckedIOException | IOException e) {
      System.out.println("failed with an IOException: " + e);
    }
    try {
      filter.putLong(-1L);
      System.out.println("took another key");
    } catch (UncheckedIOException e) {
      System.out.println("took no more");
    }
    try {
      filter.close();
    } catch (IOException e) {
      System.out.println("close failed with an IOException: " + e);
    }
    Files.delete(ballast);
    try (DurableFilter<Long> again = builder().file(path)) {
      long lost = 0;
      for (long i = 0; i < safe; i++) {
        lost += again.mightContainLong(i) ? 0 : 1;
      }
      System.out.println("safe " + safe + " lost " + lost + " " + again.recovery());
    }
  }
}
