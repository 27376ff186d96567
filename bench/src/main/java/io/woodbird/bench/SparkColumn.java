package io.woodbird.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.expr;
import static org.apache.spark.sql.functions.udf;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.woodbird.spark.WoodbirdSpark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/**
 * Measures predicates over a column of strings in Spark, and the fpp of its filters. bench/spark
 * starts it.
 */
final class SparkColumn {
  /*
   * Every predicate is asked about the same column of a Parquet table, in the same process, on one
   * thread, and denies nearly all rows. So the times differ by the predicate alone. All predicates take
   * turns, and the median of the rounds counts. The whole query is measured: what it costs to read
   * the column is in each, and "scan" shows how much that is, by a predicate that looks only at the
   * lengths.
   */
  private static final int KEYS = 1_000_000;
  private static final int ROUNDS = 9;
  private static final int ASKED = 1_000_000;
  private static final double FPP = 0.01;
  private static final long ROWS = 5_000_000;
  private static final long FPP_KEYS = 20_000_000;

  private static final String OURS = "woodbird-ribbon";
  private static final String FAST = "woodbird-fuse";
  private static final String NATIVE = "xxhash64";
  private static final String UDF = "guava-udf";

  private final SparkSession spark;
  private final Path folder;
  private final Document document;

  private SparkColumn(SparkSession spark, Path folder, Document document) {
    this.spark = spark;
    this.folder = folder;
    this.document = document;
  }

  /** Arguments: the rows of the column (5,000,000), and the keys for the fpp (20,000,000). */
  public static void main(String[] args) throws IOException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : ROWS;
    long keys = args.length > 1 ? Long.parseLong(args[1]) : FPP_KEYS;
    String command = "bench/spark" + (args.length > 0 ? " " + String.join(" ", args) : "");
    Document document =
        new Document(
            "spark",
            String.format(Locale.ROOT, "Predicates in Spark over %,d URLs of a table", rows),
            command);
    Path folder = Files.createTempDirectory("spark-column");
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "localhost")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
            .getOrCreate()) {
      SparkColumn bench = new SparkColumn(spark, folder, document);
      bench.times(rows);
      bench.fpps(keys);
    } finally {
      delete(folder);
    }
    LongRun run = new LongRun("spark", 0, 0, folder, args.length > 0 ? null : LongRun.RESULTS);
    System.exit(run.report(document) ? 0 : 1);
  }

  /** Deletes a folder and all in it. */
  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  private void times(long rows) throws IOException {
    Dataset<org.apache.spark.sql.Row> keys = spark.range(KEYS).selectExpr(url("id"));
    String table = folder.resolve("urls").toString();
    spark.range(KEYS, KEYS + rows).selectExpr(url("id")).write().parquet(table);
    Dataset<org.apache.spark.sql.Row> column = spark.read().parquet(table);
    Map<String, Column> predicates = predicates(keys);
    Map<String, List<Double>> nanos = new LinkedHashMap<>();
    for (int round = -2; round < ROUNDS; round++) {
      for (Map.Entry<String, Column> predicate : predicates.entrySet()) {
        long start = System.nanoTime();
        long found = column.filter(predicate.getValue()).count();
        long taken = System.nanoTime() - start;
        if (found > rows / 50) {
          throw new IllegalStateException(predicate.getKey() + " keeps " + found + " rows");
        }
        if (round >= 0) { // The first rounds warm up.
          nanos
              .computeIfAbsent(predicate.getKey(), name -> new ArrayList<>())
              .add((double) taken / rows);
        }
      }
    }
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", rows);
    nanos.forEach((who, all) -> document.add(new Row(who, "row", "ns", at, all)));
    judge(nanos, OURS, NATIVE, 1.5, false);
    judge(nanos, FAST, NATIVE, 1.5, false);
    judge(nanos, UDF, OURS, 3, true);
    judge(nanos, UDF, FAST, 3, true);
  }

  private void judge(
      Map<String, List<Double>> nanos, String over, String under, double target, boolean atLeast) {
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < ROUNDS; round++) {
      ratios.add(nanos.get(over).get(round) / nanos.get(under).get(round));
    }
    String promise = "a row: " + over + " / " + under;
    double median = Sample.median(ratios);
    document.add(
        atLeast
            ? Verdict.atLeast(promise, "x", target, median, Verdict.range(ratios))
            : Verdict.atMost(promise, "x", target, median, Verdict.range(ratios)));
  }

  private static String url(String id) {
    return "concat('https://example.com/some/page/', " + id + ") AS url";
  }

  private Map<String, Column> predicates(Dataset<org.apache.spark.sql.Row> keys)
      throws IOException {
    Path file = folder.resolve("keys.wbird");
    WoodbirdSpark.register(spark);
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).writeTo(file.toString());
    Path fast = folder.resolve("fast.wbird");
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).fastToAsk().writeTo(fast.toString());
    BloomFilter<CharSequence> guava = BloomFilter.create(Funnels.stringFunnel(UTF_8), KEYS, FPP);
    keys.toLocalIterator().forEachRemaining(row -> guava.put(row.getString(0)));
    UDF1<String, Boolean> ask = guava::mightContain;
    Map<String, Column> predicates = new LinkedHashMap<>();
    predicates.put("scan", expr("octet_length(url) = 0"));
    predicates.put(NATIVE, expr("xxhash64(url) = 0"));
    predicates.put("like", expr("url LIKE '%none%'"));
    predicates.put(OURS, WoodbirdSpark.mightContain(file.toString(), col("url")));
    predicates.put(FAST, WoodbirdSpark.mightContain(fast.toString(), col("url")));
    predicates.put(UDF, udf(ask, DataTypes.BooleanType).apply(col("url")));
    return predicates;
  }

  /** The share of other keys that the filters call "maybe here", asked for 1 %. */
  private void fpps(long keys) throws IOException {
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
    document.add(Row.of("woodbird", "fpp", "", at, fpp));
    document.add(Row.of("spark", "fpp", "", at, (double) sparks / ASKED));
    // 5 standard deviations of a million questions.
    double most = FPP + 5 * Math.sqrt(FPP * (1 - FPP) / ASKED);
    document.add(Verdict.atMost("fpp asked for is 0.01", "", most, fpp));
  }
}
