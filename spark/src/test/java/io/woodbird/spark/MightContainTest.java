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
import org.apache.spark.sql.Encoders;
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
    assertThat(asked.queryExecution().executedPlan().toString()).contains("might_contain.invoke");
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
  void mightContain_ofRowsOnTheDriver_afterTheFileWasReplaced_asksTheNewOne() throws IOException {
    Path file = folder.resolve("driver.wbird");
    Woodbird.frozen(Keys.longs()).fpp(1e-9).buildTo(file, List.of(5L));
    Dataset<Row> local = SPARK.createDataset(List.of(5L, 105L), Encoders.LONG()).toDF("id");
    Path table = folder.resolve("parts");
    local.selectExpr("id", "id AS part").write().partitionBy("part").parquet(table.toString());
    Dataset<Row> rows = WoodbirdSpark.reduce(local, "id", file.toString());
    Dataset<Row> parts =
        WoodbirdSpark.reduce(SPARK.read().parquet(table.toString()), "part", file.toString());
    assertThat(ids(rows)).containsExactly(5L);
    assertThat(ids(parts)).containsExactly(5L);
    assertThat(rows.select("id").queryExecution().optimizedPlan().toString())
        .as("the driver has asked")
        .doesNotContain("might_contain");
    Woodbird.frozen(Keys.longs()).fpp(1e-9).buildTo(file, List.of(105L));
    assertThat(ids(rows)).containsExactly(105L);
    assertThat(ids(parts)).containsExactly(105L);
  }

  private static List<Long> ids(Dataset<Row> rows) {
    return rows.select("id").as(Encoders.LONG()).collectAsList(); // Plans the query again.
  }

  @Test
  void mightContain_isFoundAgain_inGroupBy() {
    String asked = call("id", longs);
    List<Row> groups =
        SPARK
            .sql("SELECT " + asked + ", count(*) FROM range(0, 10000) GROUP BY " + asked)
            .collectAsList();
    assertThat(groups).hasSize(1);
    assertThat(groups.get(0).getBoolean(0)).isTrue();
  }

  @Test
  void mightContain_stringsOutsideTheHeap_areHashedByTheSameBytes() {
    String table = folder.resolve("outside").toString();
    SPARK
        .range(0, 10_000)
        .selectExpr(
            "concat('url \u00e9 ', id) AS s", "cast(concat('url \u00e9 ', id) AS binary) AS b")
        .write()
        .parquet(table);
    SPARK.conf().set("spark.sql.columnVector.offheap.enabled", "true");
    try {
      for (String column : List.of("s", "b")) {
        assertThat(count(column, strings, "parquet.`" + table + "`")).isEqualTo(10_000);
      }
    } finally {
      SPARK.conf().unset("spark.sql.columnVector.offheap.enabled");
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

  @Test
  void aColumnOfChar_isRefused_asAJoinPadsTheShorterOne() throws IOException {
    SPARK.sql("CREATE TABLE two (c CHAR(2), v VARCHAR(2)) USING parquet");
    SPARK.sql("CREATE TABLE five (c CHAR(5), v VARCHAR(5)) USING parquet");
    try {
      SPARK.sql("INSERT INTO two VALUES ('ab', 'ab')");
      SPARK.sql("INSERT INTO five VALUES ('ab', 'ab')");
      Dataset<Row> two = SPARK.table("two");
      Dataset<Row> five = SPARK.table("five");
      assertThat(five.join(two, "c").count()).isEqualTo(1);
      String file = folder.resolve("char.wbird").toString();
      List<org.assertj.core.api.ThrowableAssert.ThrowingCallable> refused =
          List.of(
              () -> WoodbirdSpark.frozen(two, "c").writeTo(file),
              () -> WoodbirdSpark.bloom(two, "c", Keys.strings(), 10).build(),
              () -> WoodbirdSpark.reduce(five, "c", file),
              () -> WoodbirdSpark.absent(five, "c", file));
      for (var call : refused) {
        assertThatThrownBy(call)
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("padded with spaces");
      }
      // What the message says to do, and a column that is not padded.
      WoodbirdSpark.frozen(two.selectExpr("rtrim(c) AS c"), "c").writeTo(file);
      assertThat(WoodbirdSpark.reduce(five.selectExpr("rtrim(c) AS c"), "c", file).count())
          .isEqualTo(1);
      assertThat(WoodbirdSpark.reduce(five, "v", file).count()).isEqualTo(1);
    } finally {
      SPARK.sql("DROP TABLE two");
      SPARK.sql("DROP TABLE five");
    }
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
