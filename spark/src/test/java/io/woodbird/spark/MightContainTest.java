package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The function might_contain in queries, on executors. */
@ExtendWith(Cluster.class)
final class MightContainTest {
  private static final SparkSession SPARK = Cluster.session();

  @TempDir static Path folder;
  private static Path longs;
  private static Path strings;

  @BeforeAll
  static void build() throws IOException {
    WoodbirdSpark.register(SPARK);
    longs = folder.resolve("longs.wbird");
    strings = folder.resolve("strings with a space.wbird");
    Woodbird.frozen(Keys.longs())
        .fpp(0.001)
        .seed(1)
        .buildTo(longs, LongStream.range(0, 10_000).iterator());
    Woodbird.frozen(Keys.strings())
        .fpp(0.001)
        .seed(1)
        .buildTo(strings, LongStream.range(0, 10_000).mapToObj(i -> "url \u00e9 " + i));
  }

  @Test
  void mightContain_keepsAllKeys_andTheFpp() {
    // Of 90,000 other keys 90 are expected, with a deviation of 9.5.
    assertThat(count("id", longs, "range(0, 10000)")).isEqualTo(10_000);
    assertThat(count("id", longs, "range(10000, 100000)")).isBetween(90L - 48, 90L + 48);
    for (String key :
        List.of("concat('url \u00e9 ', id)", "cast(concat('url \u00e9 ', id) AS binary)")) {
      assertThat(count(key, strings, "range(0, 10000)")).isEqualTo(10_000);
      assertThat(count(key, strings, "range(10000, 100000)")).isBetween(90L - 48, 90L + 48);
    }
    for (String type : List.of("int", "smallint")) {
      assertThat(count("cast(id AS " + type + ")", longs, "range(0, 10000)")).isEqualTo(10_000);
    }
    assertThat(count("cast(id AS tinyint)", longs, "range(0, 100)")).isEqualTo(100);
  }

  @Test
  void mightContain_isCalledInGeneratedCode_andWithoutIt() {
    Dataset<Row> asked = SPARK.sql(query("id", longs, "range(0, 1000)"));
    assertThat(asked.queryExecution().executedPlan().toString())
        .contains("static_invoke(io.woodbird.spark.BoundMightContain.invoke(");
    SPARK.conf().set("spark.sql.codegen.wholeStage", "false");
    SPARK.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    try {
      assertThat(count("id", longs, "range(0, 1000)")).isEqualTo(1000);
    } finally {
      SPARK.conf().unset("spark.sql.codegen.wholeStage");
      SPARK.conf().unset("spark.sql.codegen.factoryMode");
    }
  }

  @Test
  void mightContain_aNull_isNeitherHereNorAbsent() {
    for (String key : List.of("cast(null AS bigint)", "if(id % 2 = 0, null, id)")) {
      assertThat(nulls(key, longs)).isPositive();
    }
    for (String type : List.of("string", "binary")) {
      assertThat(nulls("cast(if(id % 2 = 0, null, 'x') AS " + type + ")", strings)).isEqualTo(500);
    }
  }

  private static long nulls(String key, Path file) {
    return SPARK
        .sql("SELECT " + call(key, file) + " AS a FROM range(0, 1000)")
        .where("a IS NULL")
        .count();
  }

  @Test
  void mightContain_twoFiltersInOneQuery() {
    String both =
        "SELECT count(*) FROM range(0, 20000) WHERE "
            + call("id", longs)
            + " AND "
            + call("concat('url \u00e9 ', id)", strings);
    assertThat(SPARK.sql(both).first().getLong(0)).isBetween(10_000L, 10_005L);
  }

  @Test
  void mightContain_afterTheFileWasReplaced_asksTheNewOne() throws IOException {
    Path file = folder.resolve("replaced.wbird");
    for (long from : new long[] {0, 500_000, 0}) {
      Woodbird.frozen(Keys.longs()).buildTo(file, LongStream.range(from, from + 1000).iterator());
      assertThat(count("id", file, "range(" + from + ", " + (from + 1000) + ")")).isEqualTo(1000);
    }
  }

  @Test
  void mightContain_withoutAProperFilter_failsTheQuery() throws IOException {
    assertThatThrownBy(() -> count("id", folder.resolve("missing"), "range(3)"))
        .rootCause()
        .hasMessageContaining("missing");
    assertThatThrownBy(() -> count("id", strings, "range(3)"))
        .rootCause()
        .hasMessageContaining("bytes:rapidhash3");
    Path damaged = folder.resolve("damaged.wbird");
    byte[] bytes = Files.readAllBytes(longs);
    bytes[20] ^= 1;
    Files.write(damaged, bytes);
    assertThatThrownBy(() -> count("id", damaged, "range(3)"))
        .rootCause()
        .hasMessageContaining("damaged");
    assertThatThrownBy(() -> count("cast(id AS double)", longs, "range(3)"))
        .hasMessageContaining("not double");
    assertThatThrownBy(() -> SPARK.sql("SELECT woodbird.might_contain('x')"))
        .hasMessageContaining("the path of a filter, and a key");
    assertThatThrownBy(() -> SPARK.sql("SELECT woodbird.might_obtain('x', 1)"))
        .hasMessageContaining("might_obtain");
  }

  @Test
  void reduceAndAbsent_splitTheRows_asJoinsDo() {
    Dataset<Row> keys = SPARK.range(0, 10_000).toDF("id");
    Dataset<Row> rows = SPARK.range(0, 30_000).selectExpr("if(id % 3 = 0, null, id) AS id");
    String uri = longs.toString();
    Dataset<Row> reduced = WoodbirdSpark.reduce(rows, "id", uri);
    Dataset<Row> absent = WoodbirdSpark.absent(rows, "id", uri);
    long joined = rows.join(keys, "id").count();
    assertThat(reduced.count()).isBetween(joined, joined + 13 + 5 * 4);
    assertThat(reduced.join(keys, "id").count()).isEqualTo(joined);
    // Rows without a key are in the anti-join, and so in what is absent.
    assertThat(absent.count()).isEqualTo(30_000 - reduced.count());
    long anti = rows.join(keys, rows.col("id").equalTo(keys.col("id")), "left_anti").count();
    Dataset<Row> rest = reduced.join(keys, reduced.col("id").equalTo(keys.col("id")), "left_anti");
    assertThat(absent.count() + rest.count()).isEqualTo(anti);
  }

  private static long count(String key, Path file, String table) {
    return SPARK.sql(query(key, file, table)).count();
  }

  private static String query(String key, Path file, String table) {
    return "SELECT * FROM " + table + " WHERE " + call(key, file);
  }

  private static String call(String key, Path file) {
    return "woodbird.might_contain('file:" + file + "', " + key + ")";
  }
}
