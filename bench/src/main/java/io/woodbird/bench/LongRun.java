package io.woodbird.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a run of many minutes is told, and where its results go.
 *
 * @param section names the command and the file of results
 * @param all how many keys a run has that is to be published
 * @param keys how many it has
 * @param dir for its files, which are deleted at the end
 * @param out where the results go; null if they are only printed
 */
record LongRun(String section, long all, long keys, Path dir, @Nullable Path out) {
  /** Where results are published. */
  static final Path RESULTS = Path.of("docs", "benchmarks");

  /** Reads the arguments; ends the program if they are wrong, or ask for help. */
  static LongRun of(String section, long all, String usage, String[] args) {
    if (List.of(args).contains("--help")) {
      System.out.print(usage);
      System.exit(0);
    }
    try {
      return parse(section, all, args);
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.print(usage);
      System.exit(2);
      throw e;
    }
  }

  private static LongRun parse(String section, long all, String[] args) {
    long keys = all;
    Path dir = Path.of(System.getProperty("java.io.tmpdir"));
    Path out = null;
    for (int i = 0; i < args.length; i += 2) {
      if (i + 1 == args.length) {
        throw new IllegalArgumentException("a value must follow " + args[i]);
      }
      String value = args[i + 1];
      switch (args[i]) {
        case "-n" -> keys = (long) Double.parseDouble(value);
        case "--dir" -> dir = Path.of(value);
        case "--out" -> out = Path.of(value);
        default -> throw new IllegalArgumentException("unknown argument: " + args[i]);
      }
    }
    if (keys < 1) {
      throw new IllegalArgumentException("-n must be positive: " + keys);
    }
    if (out == null && keys == all) {
      out = RESULTS;
    }
    return new LongRun(section, all, keys, dir, out);
  }

  /** Starts the results. */
  Document document(String title) {
    String command = "bench/" + section + (keys == all ? "" : " -n " + keys);
    return new Document(
        section + Machine.jdkSuffix("-jdk%d"), title + Machine.jdkSuffix(", JDK %d"), command);
  }

  /** Prints and writes the results; returns whether all promises are kept. */
  boolean report(Document document) throws IOException {
    for (Row row : document.rows()) {
      System.out.printf(Locale.ROOT, "%-20s %,.6g %s%n", row.metric(), row.value(), row.unit());
    }
    document.promises().forEach(System.out::println);
    if (out != null) {
      System.out.println("written: " + document.write(out));
    }
    return document.kept();
  }

  /** Prints how far a long run is, every ten seconds. */
  static final class Clock {
    private static final long STEP_NANOS = 10_000_000_000L;
    private final long start = System.nanoTime();
    private long next = start + STEP_NANOS;

    double seconds() {
      return (System.nanoTime() - start) / 1e9;
    }

    void tick(String phase, long done, long total) {
      if (System.nanoTime() - next >= 0) {
        next += STEP_NANOS;
        System.err.printf(Locale.ROOT, "%5.0f s  %s: %,d of %,d%n", seconds(), phase, done, total);
      }
    }
  }
}
