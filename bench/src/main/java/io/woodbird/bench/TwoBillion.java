package io.woodbird.bench;

import io.woodbird.FilterPlan;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Builds the blocklist that nothing else fits: two billion URLs in 500 MB, streamed through the
 * builder, and asks it. bench/two-billion starts it.
 */
public final class TwoBillion {
  private static final String USAGE =
      """
      usage: bench/two-billion [-n KEYS] [--dir FOLDER] [--out FOLDER]

        -n KEYS        how many URLs, such as 2e7; two billion if nothing is said. The file may
                       always take a quarter of a byte per key: 500 MB for two billion
        --dir FOLDER   for the filter and the temporary file, together 8.5 bytes per key, which
                       are deleted at the end; the system's folder if nothing is said
        --out FOLDER   where two-billion.json goes; docs/benchmarks if nothing is said. With fewer
                       keys nothing is written unless it is said

      Exit code: 0 all promises kept, 1 some not, 2 wrong arguments.
      """;

  private static final long ALL = 2_000_000_000;

  /** Questions of either kind: at 25 % one standard deviation of the fpp is 0.004 %. */
  private static final long QUESTIONS = 100_000_000;

  private static final int BATCH = 1 << 16;

  private final long n;
  private final LongRun run;

  private TwoBillion(LongRun run) {
    this.run = run;
    this.n = run.keys();
  }

  /** Builds, asks, writes. */
  public static void main(String[] args) throws IOException {
    LongRun run = LongRun.of("two-billion", ALL, USAGE, args);
    System.exit(new TwoBillion(run).run() ? 0 : 1);
  }

  private boolean run() throws IOException {
    Document document =
        run.document(String.format(Locale.ROOT, "A frozen filter of %,d URLs at 2 bits each", n));
    Path file = Files.createTempFile(run.dir(), "two-billion", ".wbird");
    try {
      build(file, document);
      try (OpenFilter<String> filter = Woodbird.open(file, Keys.strings())) {
        ask(filter, document);
      }
    } finally {
      Files.deleteIfExists(file);
    }
    return run.report(document);
  }

  private void build(Path file, Document document) throws IOException {
    long maxBytes = n / 4;
    System.err.printf(
        Locale.ROOT,
        "building: %,d URLs of 60 characters, at most %,d bytes, heap of at most %,d MB%n",
        n,
        maxBytes,
        Runtime.getRuntime().maxMemory() >> 20);
    LongRun.Clock clock = new LongRun.Clock();
    FilterPlan plan =
        Woodbird.frozen(Keys.strings())
            .maxBytes(maxBytes)
            .tempDir(run.dir())
            .onProgress(progress -> clock.tick(progress.phase(), progress.done(), n))
            .buildTo(file, KeyKind.urls(n));
    double seconds = clock.seconds();
    long bytes = Files.size(file);
    add(document, "buildSeconds", "s", seconds);
    add(document, "buildNanosPerKey", "ns", seconds * 1e9 / n);
    add(document, "fileBytes", "B", bytes);
    add(document, "bitsPerKey", "bits", 8.0 * bytes / n);
    add(document, "predictedFpp", "", plan.fpp());
    add(document, "limitFpp", "", Math.pow(2, -8.0 * maxBytes / n));
    // read before questions: pages of the finished filter would count as memory of the process
    long heap = Memory.peakHeapBytes();
    add(document, "peakHeapBytes", "B", heap);
    add(document, "peakResidentBytes", "B", Memory.peakResidentBytes());
    document.add(Verdict.atMost("bytes of the file", " B", maxBytes, bytes));
    document.add(Verdict.atMost("peak heap of the build", " B", 4e9, heap));
  }

  private void ask(OpenFilter<String> filter, Document document) {
    long questions = Math.min(n, QUESTIONS);
    LongRun.Clock clock = new LongRun.Clock();
    long missing = questions - count(filter, Workload.HIT, questions, clock);
    add(document, "presentKeysAsked", "keys", questions);
    add(document, "presentKeysDenied", "keys", missing);
    long wrong = count(filter, Workload.MISS, questions, clock);
    double fpp = (double) wrong / questions;
    add(document, "absentKeysAsked", "keys", questions);
    add(document, "fpp", "", fpp);
    document.add(Verdict.atMost("present keys denied", "", 0, missing));
    document.add(Verdict.atMost("fpp measured on keys never put", "", 0.257, fpp));
  }

  /** Asks about random URLs in batches; returns how many may be here. */
  private long count(
      OpenFilter<String> filter, Workload workload, long questions, LongRun.Clock clock) {
    SplittableRandom seeds = new SplittableRandom(workload == Workload.HIT ? 1 : 2);
    long found = 0;
    for (long done = 0; done < questions; done += BATCH) {
      int size = (int) Math.min(BATCH, questions - done);
      String[] keys = KeyKind.STRINGS.keys().apply(workload.ids(n, size, seeds.nextLong()));
      found += filter.candidates(Arrays.asList(keys)).size();
      clock.tick("asking, " + workload.label(), done + size, questions);
    }
    return found;
  }

  private void add(Document document, String metric, String unit, double value) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("keys", "strings");
    at.put("n", n);
    document.add(Row.of("woodbird-ribbon", metric, unit, at, value));
  }
}
