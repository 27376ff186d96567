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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;

/** Measures predicates over a column of strings in Spark, and the fpp of its filters. */
final class SparkColumn {
  /*
   * Every predicate is asked about the same cached column, in the same process, on one thread, and
   * denies nearly all rows. So the times differ by the predicate alone. All predicates take turns, and
   * the median of the rounds counts. The whole query is measured: Spark's cost per row is in each.
   */
  private static final int KEYS = 1_000_000;
  private static final int ROUNDS = 9;
  private static final int ASKED = 1_000_000;
  private static final double FPP = 0.01;

  private final SparkSession spark;
  private final Path folder;

  private SparkColumn(SparkSession spark, Path folder) {
    this.spark = spark;
    this.folder = folder;
  }

  /** Arguments: the rows of the column (5,000,000), and the keys for the fpp (20,000,000). */
  public static void main(String[] args) throws IOException {
    long rows = args.length > 0 ? Long.parseLong(args[0]) : 5_000_000;
    long keys = args.length > 1 ? Long.parseLong(args[1]) : 20_000_000;
    Path folder = Files.createTempDirectory("spark-column");
    try (SparkSession spark =
        SparkSession.builder()
            .master("local[1]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "localhost")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
            .getOrCreate()) {
      SparkColumn bench = new SparkColumn(spark, folder);
      bench.times(rows);
      bench.fpps(keys);
    }
  }

  private void times(long rows) throws IOException {
    Dataset<Row> keys = spark.range(KEYS).selectExpr(url("id"));
    Dataset<Row> column = spark.range(KEYS, KEYS + rows).selectExpr(url("id")).cache();
    column.count();
    Map<String, Column> predicates = predicates(keys);
    Map<String, List<Long>> nanos = new LinkedHashMap<>();
    for (int round = -2; round < ROUNDS; round++) {
      for (Map.Entry<String, Column> predicate : predicates.entrySet()) {
        long start = System.nanoTime();
        long found = column.filter(predicate.getValue()).count();
        long taken = System.nanoTime() - start;
        if (found > rows / 50) {
          throw new IllegalStateException(predicate.getKey() + " keeps " + found + " rows");
        }
        if (round >= 0) { // The first rounds warm up.
          nanos.computeIfAbsent(predicate.getKey(), name -> new ArrayList<>()).add(taken);
        }
      }
    }
    nanos.forEach(
        (name, all) -> {
          Collections.sort(all);
          double median = all.get(all.size() / 2);
          System.out.printf(Locale.ROOT, "%-28s %7.1f ns per row%n", name, median / rows);
        });
  }

  private static String url(String id) {
    return "concat('https://example.com/some/page/', " + id + ") AS url";
  }

  private Map<String, Column> predicates(Dataset<Row> keys) throws IOException {
    Path file = folder.resolve("keys.wbird");
    WoodbirdSpark.register(spark);
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).writeTo(file.toString());
    Path fast = folder.resolve("fast.wbird");
    WoodbirdSpark.frozen(keys, "url").fpp(FPP).fastToAsk().writeTo(fast.toString());
    BloomFilter<CharSequence> guava = BloomFilter.create(Funnels.stringFunnel(UTF_8), KEYS, FPP);
    keys.toLocalIterator().forEachRemaining(row -> guava.put(row.getString(0)));
    UDF1<String, Boolean> ask = guava::mightContain;
    Map<String, Column> predicates = new LinkedHashMap<>();
    predicates.put("xxhash64(url) = 0", expr("xxhash64(url) = 0"));
    predicates.put("url LIKE '%none%'", expr("url LIKE '%none%'"));
    predicates.put("might_contain", WoodbirdSpark.mightContain(file.toString(), col("url")));
    predicates.put(
        "might_contain, fastToAsk", WoodbirdSpark.mightContain(fast.toString(), col("url")));
    predicates.put("UDF over Guava", udf(ask, DataTypes.BooleanType).apply(col("url")));
    return predicates;
  }

  /** Prints the share of other keys that the filters call "maybe here", asked for 1 %. */
  private void fpps(long keys) throws IOException {
    Dataset<Row> ids = spark.range(keys).toDF("id");
    Path file = folder.resolve("ids.wbird");
    WoodbirdSpark.frozen(ids, "id").fpp(FPP).writeTo(file.toString());
    Dataset<Row> others = spark.range(keys, keys + ASKED).toDF("id");
    long ours = WoodbirdSpark.reduce(others, "id", file.toString()).count();
    var filter = ids.stat().bloomFilter("id", keys, FPP);
    long spark1 = 0;
    for (long id = keys; id < keys + ASKED; id++) {
      spark1 += filter.mightContainLong(id) ? 1 : 0;
    }
    System.out.printf(
        Locale.ROOT,
        "fpp with %,d keys, asked for %.1f %%: Woodbird %.2f %%, Spark's stat().bloomFilter %.2f %%%n",
        keys,
        100 * FPP,
        100.0 * ours / ASKED,
        100.0 * spark1 / ASKED);
  }
}
