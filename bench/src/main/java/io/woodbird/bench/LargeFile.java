package io.woodbird.bench;

import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Asks a Bloom filter of two gigabytes in a file that was opened and is warm, beside the same
 * filter on the heap. bench/large-file starts it.
 */
final class LargeFile {
  private static final String USAGE =
      """
      usage: bench/large-file [-n KEYS] [--dir FOLDER] [--out FOLDER]

        -n KEYS        how many keys, such as 1e8; 1.6e9 if nothing is said, which take 2 GB
        --dir FOLDER   for the file, which is deleted at the end; the system's folder if nothing
                       is said
        --out FOLDER   where large-file.json goes; docs/benchmarks if nothing is said. With
                       another number of keys nothing is written unless it is said

      Needs 14 GB of memory. Exit code: 0 all promises kept, 1 some not, 2 wrong arguments.
      """;

  private static final long ALL = 1_600_000_000;
  private static final double FPP = 0.01;
  private static final int ROUNDS = 3;
  private static final int PASSES = 5;
  private static final int OPENINGS = 20;
  private static final int BATCH = 1 << 10;
  private static final int POOL = 1 << 22;

  private LargeFile() {}

  /**
   * Makes the file and starts two processes: one that reads it onto the heap, one that opens it.
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    LongRun run = LongRun.of("large-file", ALL, USAGE, args);
    Path file = Files.createTempFile(run.dir(), "large", ".wbird");
    boolean kept;
    try {
      fill(run.keys()).save(file);
      Document document = run.document("A large file, opened and warm, beside the heap");
      open(document, run.keys(), file);
      ask(document, run.keys(), file);
      kept = run.report(document);
    } finally {
      Files.deleteIfExists(file);
    }
    System.exit(kept ? 0 : 1);
  }

  private static MutableFilter<Long> fill(long keys) {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), keys).fpp(FPP).build();
    int parts = 2 * Runtime.getRuntime().availableProcessors();
    IntStream.range(0, parts)
        .parallel()
        .forEach(
            part -> {
              long[] hashes = new long[BATCH];
              int size = 0;
              for (long id = part; id < keys; id += parts) {
                hashes[size++] = filter.hashOfLong(KeyKind.scramble(id));
                if (size == BATCH) {
                  filter.putHashes(hashes, size);
                  size = 0;
                }
              }
              filter.putHashes(hashes, size);
            });
    return filter;
  }

  private static void open(Document document, long keys, Path file) throws IOException {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < OPENINGS; i++) {
      long start = System.nanoTime();
      try (OpenFilter<Long> filter = Woodbird.open(file, Keys.longs())) {
        if (!filter.mightContainLong(KeyKind.scramble(i))) {
          throw new IllegalStateException("a key is missing");
        }
        millis.add((System.nanoTime() - start) / 1e6);
      }
    }
    document.add(new Row("woodbird-mapped", "open", "ms", at(keys), millis));
    document.add(Row.of("woodbird-mapped", "fileBytes", "B", at(keys), Files.size(file)));
    document.add(
        Verdict.atMost(
            "opening, with a question", " ms", 50, Sample.median(millis), Verdict.range(millis)));
  }

  private static void ask(Document document, long keys, Path file)
      throws IOException, InterruptedException {
    Forks forks = new Forks(List.of(), new Progress(List.of(), 1));
    // A filter that is read is there twice for a moment: as a file, and in the form to ask.
    Forks.Job heap = new Forks.Job(List.of("-Xmx6g"), Asking.class, List.of("heap", keys, file));
    Forks.Job opened = new Forks.Job(List.of("-Xmx6g"), Asking.class, List.of("file", keys, file));
    Map<String, List<Double>> ours = new LinkedHashMap<>();
    Map<String, List<Double>> theirs = new LinkedHashMap<>();
    Map<String, List<Double>> ratios = new LinkedHashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      List<Fork> done = forks.runInTurns(List.of(heap, opened));
      Map<String, List<Double>> onHeap = done.get(0).values();
      Map<String, List<Double>> inFile = done.get(1).values();
      for (String what : onHeap.keySet()) {
        double there = Sample.median(onHeap.get(what));
        double here = Sample.median(inFile.get(what));
        theirs.computeIfAbsent(what, key -> new ArrayList<>()).add(there);
        ours.computeIfAbsent(what, key -> new ArrayList<>()).add(here);
        ratios.computeIfAbsent(what, key -> new ArrayList<>()).add(there / here);
      }
    }
    theirs.forEach((what, all) -> document.add(new Row("woodbird", what, "ns", at(keys), all)));
    ours.forEach(
        (what, all) -> document.add(new Row("woodbird-mapped", what, "ns", at(keys), all)));
    ratios.forEach(
        (what, all) ->
            document.add(
                Verdict.atLeast(
                    what + ": on the heap / in a file",
                    "x",
                    0.85,
                    Sample.median(all),
                    Verdict.range(all))));
  }

  private static Map<String, Object> at(long keys) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", keys);
    return at;
  }

  /** Asks one of both filters, in a process of its own. */
  static final class Asking {
    /** A filter that is asked for 1 % must not say "maybe" to more of a pool of strangers. */
    private static final double MOST_WRONG = 0.011;

    private Asking() {}

    /** The arguments: "heap" or "file", how many keys the filter has, its file. */
    public static void main(String[] args) throws IOException {
      long keys = Long.parseLong(args[1]);
      Path file = Path.of(args[2]);
      if (args[0].equals("file")) {
        try (OpenFilter<Long> filter = Woodbird.open(file, Keys.longs())) {
          filter.verify(); // Reads every page, so that questions find them warm.
          ask(filter, keys);
        }
      } else {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(file), 1 << 20)) {
          ask(Woodbird.readFrom(in, Keys.longs()), keys);
        }
      }
    }

    private static void ask(Filter<Long> filter, long keys) {
      for (Workload workload : List.of(Workload.MIX, Workload.HIT, Workload.MISS)) {
        long[] pool = KeyKind.LONGS.keys().apply(workload.ids(keys, POOL));
        time("one long", workload, () -> single(filter, pool));
        time("longs in batch", workload, () -> batches(filter, pool));
      }
    }

    private interface Pass {
      int run();
    }

    private static void time(String what, Workload workload, Pass pass) {
      check(workload, pass.run());
      List<Double> nanos = new ArrayList<>();
      for (int i = 0; i < PASSES; i++) {
        Forks.awaitTurn();
        long start = System.nanoTime();
        int maybes = pass.run();
        nanos.add((double) (System.nanoTime() - start) / POOL);
        check(workload, maybes);
      }
      System.out.print(Forks.line(what + ", " + workload.label(), nanos));
    }

    private static void check(Workload workload, int maybes) {
      if (workload == Workload.HIT && maybes != POOL) {
        throw new IllegalStateException((POOL - maybes) + " keys are denied");
      }
      if (workload == Workload.MISS && maybes > MOST_WRONG * POOL) {
        throw new IllegalStateException(maybes + " strangers of " + POOL + " may be here");
      }
    }

    private static int single(Filter<Long> filter, long[] pool) {
      int count = 0;
      for (long key : pool) {
        count += filter.mightContainLong(key) ? 1 : 0;
      }
      return count;
    }

    private static int batches(Filter<Long> filter, long[] pool) {
      long[] hashes = new long[BATCH];
      int[] selected = new int[BATCH];
      int count = 0;
      for (int from = 0; from < POOL; from += BATCH) {
        for (int i = 0; i < BATCH; i++) {
          hashes[i] = filter.hashOfLong(pool[from + i]);
        }
        count += filter.candidates(hashes, BATCH, selected);
      }
      return count;
    }
  }
}
