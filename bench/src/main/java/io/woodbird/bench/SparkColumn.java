package io.woodbird.bench;

import io.woodbird.bench.SparkProbe.Predicate;
import io.woodbird.spark.WoodbirdSpark;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;

/**
 * Measures predicates over a column of strings in Spark, and the fpp of its filters. bench/spark
 * starts it.
 */
final class SparkColumn {
  /*
   * Every predicate is asked about the same column of a Parquet table, on one thread, and denies
   * nearly all rows. Each has a JVM of its own, one after another, then all of them again in the
   * opposite order, and so on. The whole query is measured: what it costs to read the column is in
   * each. What is judged is the time that the thread of the task worked: on the wall, a core that was
   * taken away looks like a slow predicate, and Spark's planning is in each query.
   *
   * Both predicates of a ratio read the column first, so that the ratio of whole rows depends on what
   * reading costs. The ratios "beyond the scan" leave out what the scan alone takes.
   */
  static final int KEYS = 1_000_000;
  static final double FPP = 0.01;
  private static final String URL = "https://example.com/some/page/";
  private static final int ROUNDS = 3;

  /** What Spark itself can ask: xxhash64 only hashes the value, IN is one of a thousand values. */
  private static final List<Predicate> NATIVE =
      List.of(Predicate.XXHASH64, Predicate.LIKE, Predicate.IN);

  private static final int ASKED = 1_000_000;
  private static final long ROWS = 5_000_000;
  private static final long FPP_KEYS = 20_000_000;

  private final Path folder;
  private final Document document;

  private SparkColumn(Path folder, Document document) {
    this.folder = folder;
    this.document = document;
  }

  /** Arguments: the rows of the column (5,000,000), and the keys for the fpp (20,000,000). */
  public static void main(String[] args) throws IOException, InterruptedException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : ROWS;
    long keys = args.length > 1 ? Long.parseLong(args[1]) : FPP_KEYS;
    Document document =
        new Document(
            "spark",
            String.format(Locale.ROOT, "Predicates in Spark over a table of %,d URLs", rows),
            String.join(" ", "bench/spark", String.join(" ", args)).strip());
    Path folder = Files.createTempDirectory("spark-column");
    try {
      SparkColumn bench = new SparkColumn(folder, document);
      try (SparkSession spark = session(folder)) {
        bench.make(spark, rows);
        bench.fpps(spark, keys);
      }
      bench.times(rows);
    } finally {
      delete(folder);
    }
    LongRun run = new LongRun("spark", 0, 0, folder, args.length > 0 ? null : LongRun.RESULTS);
    System.exit(run.report(document) ? 0 : 1);
  }

  static SparkSession session(Path folder) {
    return SparkSession.builder()
        .master("local[1]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.local.dir", folder.toString())
        .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
        .getOrCreate();
  }

  static Path table(Path folder) {
    return folder.resolve("urls");
  }

  static String url(long id) {
    return URL + id;
  }

  /** Deletes a folder and all in it. */
  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** Writes the table, and the filters of other keys. */
  private void make(SparkSession spark, long rows) throws IOException {
    String url = "concat('" + URL + "', id) AS url";
    spark
        .range(KEYS, KEYS + rows)
        .selectExpr(url)
        .write()
        .parquet(table(folder).toUri().toString());
    Dataset<org.apache.spark.sql.Row> keys = spark.range(KEYS).selectExpr(url);
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).writeTo(Predicate.RIBBON.file(folder));
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).fastToAsk().writeTo(Predicate.FUSE.file(folder));
  }

  private void times(long rows) throws IOException, InterruptedException {
    Forks forks =
        new Forks(
            ManagementFactory.getRuntimeMXBean().getInputArguments(), new Progress(List.of(), 1));
    Map<Predicate, List<Double>> wall = new EnumMap<>(Predicate.class);
    Map<Predicate, List<Double>> own = new EnumMap<>(Predicate.class);
    List<Predicate> order = new ArrayList<>(List.of(Predicate.values()));
    for (int round = 0; round < ROUNDS; round++) {
      for (Predicate predicate : order) {
        Map<String, List<Double>> found = forks.run(List.of(), SparkProbe.class, predicate, folder);
        wall.computeIfAbsent(predicate, key -> new ArrayList<>()).addAll(found.get("row"));
        own.computeIfAbsent(predicate, key -> new ArrayList<>()).addAll(found.get("rowCpu"));
      }
      Collections.reverse(order);
    }
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", rows);
    wall.forEach((who, all) -> document.add(new Row(who.label, "row", "ns", at, all)));
    own.forEach((who, all) -> document.add(new Row(who.label, "rowCpu", "ns", at, all)));
    for (Predicate ours : List.of(Predicate.RIBBON, Predicate.FUSE)) {
      for (Predicate theirs : NATIVE) {
        List<Double> slower = ratios(own, ours, theirs, false);
        document.add(
            Verdict.atMost(
                "a row: " + ours.label + " / " + theirs.label,
                "x",
                1.5,
                Sample.median(slower),
                Verdict.range(slower)));
      }
      for (boolean beyondScan : new boolean[] {false, true}) {
        List<Double> faster = ratios(own, Predicate.UDF, ours, beyondScan);
        document.add(
            Verdict.atLeast(
                "a row" + (beyondScan ? ", beyond the scan" : "") + ": guava-udf / " + ours.label,
                "x",
                3,
                Sample.median(faster),
                Verdict.range(faster)));
      }
    }
  }

  private static List<Double> ratios(
      Map<Predicate, List<Double>> nanos, Predicate over, Predicate under, boolean beyondScan) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      double scan = beyondScan ? nanos.get(Predicate.SCAN).get(round) : 0;
      ratios.add((nanos.get(over).get(round) - scan) / (nanos.get(under).get(round) - scan));
    }
    return ratios;
  }

  /** The share of other keys that the filters call "maybe here", asked for 1 %. */
  private void fpps(SparkSession spark, long keys) throws IOException {
    Dataset<org.apache.spark.sql.Row> ids = spark.range(keys).toDF("id");
    Path file = folder.resolve("ids.wbird");
    WoodbirdSpark.frozen(ids, "id").fpp(FPP).writeTo(file.toString());
    Dataset<org.apache.spark.sql.Row> others = spark.range(keys, keys + ASKED).toDF("id");
    long ours = WoodbirdSpark.reduce(others, "id", file.toString()).count();
    var filter = ids.stat().bloomFilter("id", keys, FPP);
    long sparks = 0;
    for (long id = keys; id < keys + ASKED; id++) {
      sparks += filter.mightContainLong(id) ? 1 : 0;
    }
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", keys);
    double fpp = (double) ours / ASKED;
    document.add(Row.of("woodbird-ribbon", "fpp", "", at, fpp));
    document.add(Row.of("spark", "fpp", "", at, (double) sparks / ASKED));
    // 5 standard deviations of a million questions.
    double most = FPP + 5 * Math.sqrt(FPP * (1 - FPP) / ASKED);
    document.add(Verdict.atMost("fpp asked for is 0.01", "", most, fpp));
  }
}
