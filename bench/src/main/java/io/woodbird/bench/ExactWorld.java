package io.woodbird.bench;

import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/**
 * Builds a filter that is exact over a known world, ten million keys against a billion others, and
 * asks it about every one of them. bench/exact-world starts it.
 */
public final class ExactWorld {
  private static final String USAGE =
      """
      usage: bench/exact-world [-n KEYS] [--dir FOLDER] [--out FOLDER]

        -n KEYS        how many keys, such as 1e6; ten million if nothing is said. There are always
                       100 times as many others
        --dir FOLDER   for the filter and the temporary files, together 8 bytes for each of the
                       others, which are deleted at the end; the system's folder if nothing is said
        --out FOLDER   where exact-world.json goes; docs/benchmarks if nothing is said. With another
                       number of keys nothing is written unless it is said

      It uses one thread. Exit code: 0 all promises kept, 1 some not, 2 wrong arguments.
      """;

  private static final long ALL = 10_000_000;
  private static final long OTHERS_PER_KEY = 100;
  private static final long STRANGERS = 100_000_000;
  private static final int BATCH = 1 << 12;

  /** What a build may take: hashes beyond it go to disk. */
  private static final long MEMORY = 512L << 20;

  private final LongRun run;
  private final long keys;
  private final long others;

  private ExactWorld(LongRun run) {
    this.run = run;
    this.keys = run.keys();
    this.others = OTHERS_PER_KEY * keys;
  }

  /** Builds, asks, writes. */
  public static void main(String[] args) throws IOException {
    LongRun run = LongRun.of("exact-world", ALL, USAGE, args);
    System.exit(new ExactWorld(run).run() ? 0 : 1);
  }

  private boolean run() throws IOException {
    Document document =
        run.document(
            String.format(
                Locale.ROOT, "An exact filter of %,d longs against %,d others", keys, others));
    Path file = Files.createTempFile(run.dir(), "exact-world", ".wbird");
    try {
      build(file, document);
      try (OpenFilter<Long> filter = Woodbird.open(file, Keys.longs())) {
        ask(filter, document);
      }
    } finally {
      Files.deleteIfExists(file);
    }
    return run.report(document);
  }

  private void build(Path file, Document document) throws IOException {
    LongRun.Clock clock = new LongRun.Clock();
    Memory.watch();
    Woodbird.frozen(Keys.longs())
        .exactAgainst(() -> longs(keys, keys + others))
        .threads(1)
        .memoryLimit(MEMORY)
        .tempDir(run.dir())
        .onProgress(at -> clock.tick(at.phase(), at.done(), Math.max(at.total(), 0)))
        .buildTo(file, longs(0, keys));
    double seconds = clock.seconds();
    long bytes = Files.size(file);
    double bound = informationBound(keys, others);
    add(document, "buildSeconds", "s", seconds);
    add(document, "fileBytes", "B", bytes);
    add(document, "bitsPerKey", "bits", 8.0 * bytes / keys);
    add(document, "boundBitsPerKey", "bits", bound / keys);
    add(document, "peakLiveBytes", "B", Memory.peakLiveBytes());
    add(document, "peakHeapBytes", "B", Memory.peakHeapBytes());
    add(document, "peakResidentBytes", "B", Memory.peakResidentBytes());
    document.add(Verdict.atMost("size / information bound", "x", 1.12, 8.0 * bytes / bound));
  }

  /** The base 2 logarithm of the number of ways to choose the keys from the world. */
  static double informationBound(long keys, long others) {
    double share = (double) keys / (keys + others);
    double nats = -keys * Math.log(share) - others * Math.log1p(-share);
    // Stirling's formula: the world has this many bits less than its entropy.
    double less = 0.5 * Math.log(2 * Math.PI * keys * (1 - share));
    return (nats - less) / Math.log(2);
  }

  private void ask(OpenFilter<Long> filter, Document document) {
    LongRun.Clock clock = new LongRun.Clock();
    long denied = keys - count(filter, 0, keys, clock);
    long wrong = count(filter, keys, keys + others, clock);
    add(document, "askSeconds", "s", clock.seconds());
    add(document, "keysAsked", "keys", keys);
    add(document, "keysDenied", "keys", denied);
    add(document, "othersAsked", "keys", others);
    add(document, "othersFound", "keys", wrong);
    long strangers = Math.min(others, STRANGERS);
    long first = keys + others;
    double fpp = (double) count(filter, first, first + strangers, clock) / strangers;
    add(document, "statedFpp", "", filter.stats().promisedFpp());
    add(document, "fpp", "", fpp);
    document.add(Verdict.atMost("keys denied", "", 0, denied));
    document.add(Verdict.atMost("others found", "", 0, wrong));
  }

  /** Asks about all longs with these numbers; returns how many may be here. */
  private static long count(OpenFilter<Long> filter, long from, long to, LongRun.Clock clock) {
    long[] hashes = new long[BATCH];
    int[] selected = new int[BATCH];
    long found = 0;
    for (long at = from; at < to; at += BATCH) {
      int size = (int) Math.min(BATCH, to - at);
      for (int i = 0; i < size; i++) {
        hashes[i] = filter.hashOfLong(KeyKind.scramble(at + i));
      }
      found += filter.candidates(hashes, size, selected);
      clock.tick("asking", at + size, to);
    }
    return found;
  }

  private static PrimitiveIterator.OfLong longs(long from, long to) {
    return LongStream.range(from, to).map(KeyKind::scramble).iterator();
  }

  private void add(Document document, String metric, String unit, double value) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("keys", "longs");
    at.put("n", keys);
    document.add(Row.of("woodbird-exact", metric, unit, at, value));
  }
}
