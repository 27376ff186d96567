package io.woodbird.spark.on35;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.spark.SerializableFilter;
import io.woodbird.spark.WoodbirdSpark;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar that was compiled with Spark 4 works on Spark 3.5. */
@Tag("slow")
class Spark35Test {
  private static final long COUNT = 10_000;

  @TempDir private static Path folder;
  private static SparkSession spark;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.host", "localhost")
            .config("spark.local.dir", folder.toString())
            .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toUri().toString())
            .getOrCreate();
    WoodbirdSpark.register(spark);
  }

  @AfterAll
  static void stop() {
    spark.stop();
  }

  @Test
  void thisIsSpark35() {
    assertThat(spark.version()).startsWith("3.5.");
  }

  @Test
  void frozen_hasTheBytesOfBuildTo_andIsAskedInSql() throws IOException {
    Path one = folder.resolve("one.wbird");
    Path cluster = folder.resolve("cluster.wbird");
    Dataset<Row> urls = spark.range(COUNT).selectExpr("concat('url ', id) AS url");
    WoodbirdSpark.frozen(urls, "url").fpp(0.001).seed(1).writeTo(cluster.toString());
    Woodbird.frozen(Keys.strings())
        .fpp(0.001)
        .seed(1)
        .buildTo(one, LongStream.range(0, COUNT).mapToObj(i -> "url " + i));
    assertThat(Files.mismatch(cluster, one)).isEqualTo(-1);

    Dataset<Row> asked = spark.range(10 * COUNT).selectExpr("concat('url ', id) AS url");
    Dataset<Row> reduced = WoodbirdSpark.reduce(asked, "url", cluster.toString());
    // 0.1 % of 90,000 other keys are 90, with a deviation of 9.5.
    assertThat(reduced.count()).isBetween(COUNT + 42, COUNT + 138);
    assertThat(reduced.queryExecution().executedPlan().toString()).contains("invoke");
    assertThat(reduced.join(urls, "url").count()).isEqualTo(COUNT);
    assertThat(WoodbirdSpark.absent(asked, "url", cluster.toString()).count())
        .isEqualTo(10 * COUNT - reduced.count());
    assertThatThrownBy(
            () -> spark.sql("SELECT woodbird.might_contain('" + cluster + "', 1.5D)").count())
        .hasMessageContaining("not double");
  }

  @Test
  void everyKindOfKey() throws IOException {
    Dataset<Row> rows =
        spark
            .range(100)
            .selectExpr(
                "id",
                "cast(id AS int) AS i",
                "cast(id AS smallint) AS s",
                "cast(id AS tinyint) AS t",
                "cast(concat('k', id) AS binary) AS b");
    for (String column : rows.columns()) {
      String file = folder.resolve(column + ".wbird").toString();
      WoodbirdSpark.frozen(rows, column).writeTo(file);
      assertThat(WoodbirdSpark.reduce(rows, column, file).count()).as(column).isEqualTo(100);
    }
  }

  @Test
  void bloomFilters_areBuiltAndSent() throws IOException {
    Dataset<Row> rows = spark.range(COUNT).selectExpr("id", "id % 3 AS g");
    BloomFilter<Long> bloom = WoodbirdSpark.bloom(rows, "id", Keys.longs(), COUNT).build();
    assertThat(LongStream.range(0, COUNT)).allMatch(bloom::mightContain);
    var perGroup = WoodbirdSpark.bloomPerGroup(Keys.longs(), Encoders.LONG(), COUNT, 0.01, 5);
    for (Row row :
        rows.groupBy("g").agg(perGroup.apply(functions.col("id")).as("f")).collectAsList()) {
      Filter<Long> filter =
          Woodbird.readFrom(new ByteArrayInputStream((byte[]) row.get(1)), Keys.longs());
      assertThat(LongStream.range(0, COUNT).filter(i -> i % 3 == row.getLong(0)))
          .allMatch(filter::mightContain);
    }
    Broadcast<SerializableFilter<Long>> sent =
        JavaSparkContext.fromSparkContext(spark.sparkContext())
            .broadcast(SerializableFilter.of(bloom, Keys.longs()));
    long kept =
        spark
            .range(COUNT)
            .as(Encoders.LONG())
            .filter(
                (org.apache.spark.api.java.function.FilterFunction<Long>)
                    id -> sent.value().filter().mightContain(id))
            .count();
    assertThat(kept).isEqualTo(COUNT);
  }
}
