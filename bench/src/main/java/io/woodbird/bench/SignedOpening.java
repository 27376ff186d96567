package io.woodbird.bench;

import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.SignedFilters;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens a signed file of a gigabyte: once in each of several new processes, and again and again in
 * one. bench/signed-opening starts it.
 */
public final class SignedOpening {
  private static final String USAGE =
      """
      usage: bench/signed-opening [-n BYTES] [--dir FOLDER] [--out FOLDER]

        -n BYTES       the size of the file, such as 1e8; a gigabyte if nothing is said
        --dir FOLDER   for the file, which is deleted at the end; the system's folder if nothing
                       is said
        --out FOLDER   where signed-opening.json goes; docs/benchmarks if nothing is said. With
                       another size nothing is written unless it is said

      Exit code: 0 all promises kept, 1 some not, 2 wrong arguments.
      """;

  private static final long ALL = 1_000_000_000;
  private static final int PROCESSES = 5;
  private static final int OPENINGS = 20;

  private SignedOpening() {}

  /** Makes the file, and opens it; or, in a process of its own, opens it once. */
  public static void main(String[] args) throws Exception {
    if (args.length == 3 && args[0].equals("open")) {
      System.out.println(open(Path.of(args[1]), Path.of(args[2])));
      return;
    }
    LongRun run = LongRun.of("signed-opening", ALL, USAGE, args);
    Path folder = Files.createTempDirectory(run.dir(), "signed-opening");
    Path file = folder.resolve("large.wbird");
    Path secret = folder.resolve("key.pem");
    Path key = folder.resolve("key.pem.pub");
    boolean kept;
    try {
      sign(file, run.keys(), secret, key);
      kept = measure(run, file, key);
    } finally {
      for (Path each : List.of(file, secret, key, folder)) {
        Files.deleteIfExists(each);
      }
    }
    System.exit(kept ? 0 : 1);
  }

  private static void sign(Path file, long bytes, Path secret, Path key) throws IOException {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), bytes).maxBytes(bytes).build();
    for (long i = 0; i < 1_000_000; i++) {
      filter.putLong(i);
    }
    filter.save(file);
    SignedFilters.createKeys(secret, key);
    Woodbird.sign(file, SignedFilters.readPrivateKey(secret), file);
  }

  private static boolean measure(LongRun run, Path file, Path key)
      throws IOException, InterruptedException {
    Document document = run.document("Opening a signed file of a gigabyte");
    List<Double> first = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      first.add(inNewProcess(file, key));
    }
    List<Double> later = new ArrayList<>();
    for (int i = 0; i < OPENINGS; i++) {
      later.add(open(file, key));
    }
    long before = used();
    try (OpenFilter<Long> filter =
        Woodbird.signedBy(SignedFilters.readPublicKey(key)).open(file, Keys.longs())) {
      add(document, run, "heapBytes", "B", used() - before);
      filter.mightContainLong(1);
    }
    add(document, run, "fileBytes", "B", Files.size(file));
    add(document, run, "openFirst", "ms", median(first));
    add(document, run, "openAgain", "ms", median(later));
    // The first opening in a process is mostly Java's own: it loads and interprets Ed25519.
    document.add(
        Verdict.atMost(
            "opening in a process that runs", " ms", 50, median(later), Verdict.range(later)));
    return run.report(document);
  }

  private static long used() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static double inNewProcess(Path file, Path key) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx3g",
                "-cp",
                System.getProperty("java.class.path"),
                SignedOpening.class.getName(),
                "open",
                file.toString(),
                key.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("the process ended with " + process.exitValue());
    }
    return Double.parseDouble(said.strip());
  }

  /** Opens the file and asks about a key; returns the milliseconds. */
  private static double open(Path file, Path key) throws IOException {
    long start = System.nanoTime();
    try (OpenFilter<Long> filter =
        Woodbird.signedBy(SignedFilters.readPublicKey(key)).open(file, Keys.longs())) {
      if (!filter.mightContainLong(1)) {
        throw new IllegalStateException("a key is missing");
      }
      return (System.nanoTime() - start) / 1e6;
    }
  }

  private static double median(List<Double> values) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    return sorted.get(sorted.size() / 2);
  }

  private static void add(
      Document document, LongRun run, String metric, String unit, double value) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", run.keys());
    document.add(Row.of("woodbird-signed", metric, unit, at, value));
  }
}
