package io.woodbird.example.spark;

import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.expr;

import io.woodbird.FilterPlan;
import io.woodbird.spark.WoodbirdSpark;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Finds the clicks on blocked pages, with a plain join and with a filter before the join. */
public final class SparkBlocklist {
  private final SparkSession spark;
  private final Path folder;
  private final PrintStream out;
  private final MovedBytes moved = new MovedBytes();

  SparkBlocklist(SparkSession spark, Path folder, PrintStream out) {
    this.spark = spark;
    this.folder = folder;
    this.out = out;
  }

  /**
   * Runs the example on a cluster of two executor processes on this machine.
   *
   * @param args not used
   * @throws IOException if a file can't be written
   */
  public static void main(String[] args) throws IOException {
    Path home = Path.of(System.getenv("SPARK_HOME")).toAbsolutePath();
    Files.createDirectories(
        home.resolve("jars")); // The workers look for it, and need nothing in it.
    Files.createDirectories(home.resolve("local"));
    SparkSession cluster =
        settings(home)
            .master("local-cluster[2,1,1024]")
            .config("spark.executor.extraClassPath", classPath())
            .config("spark.executorEnv.SPARK_SCALA_VERSION", "2.13")
            .getOrCreate();
    try (cluster) {
      new SparkBlocklist(cluster, home, System.out).run(100_000, 1_000_000);
    }
  }

  /** The class path of this process, for processes that run in other folders. */
  private static String classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(part -> Path.of(part).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  static SparkSession.Builder settings(Path home) {
    return SparkSession.builder()
        .appName("spark-blocklist")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.local.dir", home.resolve("local").toString())
        .config("spark.sql.warehouse.dir", home.resolve("warehouse").toUri().toString())
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        // Spark does not count what Parquet reads in vectors.
        .config("spark.hadoop.parquet.hadoop.vectored.io.enabled", "false")
        // As with a list that is too large to be sent to every executor.
        .config("spark.sql.autoBroadcastJoinThreshold", "-1");
  }

  /** Clicks that a join found, a number that depends on each of them, and what the join moved. */
  record Joined(long clicks, long content, MovedBytes.Total moved) {}

  /** Both joins. */
  record Result(Joined plain, Joined filtered) {}

  Result run(long pages, long visits) throws IOException {
    Dataset<Row> blocked =
        table(
            "blocked", spark.range(pages).selectExpr("concat('https://bad.example/', id) AS url"));
    // One click in fifty is on a blocked page.
    Dataset<Row> clicks =
        table(
            "clicks",
            spark
                .range(visits)
                .selectExpr(
                    "id AS click",
                    "concat(if(id % 50 = 0, 'https://bad.example/', 'https://fine.example/'), id % "
                        + pages
                        + ") AS url",
                    "sha2(cast(id % 5000 AS string), 256) AS visitor"));
    spark.sparkContext().addSparkListener(moved);

    String filter = folder.resolve("blocked.wbird").toString();
    FilterPlan built = WoodbirdSpark.frozen(blocked, "url").fpp(0.001).writeTo(filter);
    MovedBytes.Total cost = moved.take(spark);
    out.printf(
        Locale.ROOT, "built a filter of %,d keys in %,d bytes%n", built.keys(), built.bytes());
    out.printf(
        Locale.ROOT, "  to build it: %,d bytes read, %,d shuffled%n", cost.read(), cost.shuffled());

    WoodbirdSpark.register(spark);
    clicks.createOrReplaceTempView("clicks");
    long maybe =
        spark
            .sql("SELECT 1 FROM clicks WHERE woodbird.might_contain('" + filter + "', url)")
            .count();
    out.printf(
        Locale.ROOT, "asked in SQL: %,d of %,d clicks may be on blocked pages%n", maybe, visits);

    moved.take(spark);
    Result result =
        new Result(
            join("plain join", clicks, blocked),
            join("with filter", WoodbirdSpark.reduce(clicks, "url", filter), blocked));
    out.printf(
        Locale.ROOT,
        "saved: %.0f %% of the bytes read, %.0f %% of those shuffled%n",
        100 - 100.0 * result.filtered.moved.read() / result.plain.moved.read(),
        100 - 100.0 * result.filtered.moved.shuffled() / result.plain.moved.shuffled());
    if (result.plain.content != result.filtered.content) {
      throw new IllegalStateException("the joins differ: " + result);
    }
    return result;
  }

  /** Writes rows to files, and returns what reads them from there. */
  private Dataset<Row> table(String name, Dataset<Row> rows) {
    String path = folder.resolve(name).toUri().toString();
    rows.write().mode("overwrite").parquet(path);
    return spark.read().parquet(path);
  }

  private Joined join(String name, Dataset<Row> clicks, Dataset<Row> blocked) {
    Row found =
        clicks
            .join(blocked, "url")
            .agg(count("visitor"), expr("bit_xor(xxhash64(click, url, visitor))"))
            .first();
    MovedBytes.Total total = moved.take(spark);
    out.printf(
        Locale.ROOT,
        "%-12s %,d clicks; %,d bytes read, %,d shuffled%n",
        name + ":",
        found.getLong(0),
        total.read(),
        total.shuffled());
    return new Joined(found.getLong(0), found.getLong(1), total);
  }
}
