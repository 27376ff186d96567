package io.woodbird.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.FilterPlan;
import io.woodbird.FrozenBuilder;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a cluster builds is what one machine builds. */
@ExtendWith(Cluster.class)
final class FrozenFileTest {
  private static final long SEED = 0x5eedL;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 1_000, 1_000_000})
  void writeTo_strings_givesTheBytesOfBuildTo(long count) throws IOException {
    FilterPlan plan = frozen(urls(count)).fpp(0.001).writeTo(uri("cluster"));
    Stream<String> same = LongStream.range(0, count).mapToObj(i -> "https://example.com/" + i);
    assertThat(plan).isEqualTo(one(Keys.strings()).fpp(0.001).buildTo(path("one"), same));
    assertSame();
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000, 4_300_000}) // More than a shard holds.
  void writeTo_longs_givesTheBytesOfBuildTo(long count) throws IOException {
    WoodbirdSpark.frozen(Cluster.session().range(count), "id")
        .seed(SEED)
        .fastToAsk()
        .writeTo(uri("cluster"));
    one(Keys.longs()).fastToAsk().buildTo(path("one"), LongStream.range(0, count).iterator());
    assertSame();
  }

  @Tag("slow")
  @Test
  void writeTo_aHundredMillion_givesTheBytesOfBuildTo() throws IOException {
    long count = 100_000_000;
    frozen(Cluster.session().range(count).toDF("url")).fpp(0.001).writeTo(uri("cluster"));
    one(Keys.longs()).fpp(0.001).buildTo(path("one"), LongStream.range(0, count).iterator());
    assertSame();
  }

  @Test
  void writeTo_keysThatRepeat_areCountedAsBuildToCountsThem() throws IOException {
    // 4.5 million rows need two shards, and 90 % of them have one key.
    long count = 4_500_000;
    Dataset<Row> skewed =
        Cluster.session().range(count).selectExpr("if(id % 10 = 0, id % 1000, 7) AS url");
    frozen(skewed).bitsPerKey(9).writeTo(uri("cluster"));
    one(Keys.longs())
        .bitsPerKey(9)
        .buildTo(
            path("one"),
            LongStream.range(0, count).map(i -> i % 10 == 0 ? i % 1000 : 7).iterator());
    assertSame();
  }

  @Test
  void writeTo_everyKindOfKey_isOpenedByItsHasher() throws IOException {
    Dataset<Row> rows =
        Cluster.session()
            .range(500)
            .selectExpr(
                "id",
                "cast(id AS int) AS i",
                "cast(id AS smallint) AS s",
                "cast(id % 100 AS tinyint) AS b",
                "cast(concat('k', id) AS binary) AS bytes",
                "named_struct('inner', concat('k', id)) AS nested");
    for (String column : new String[] {"id", "i", "s", "b"}) {
      WoodbirdSpark.frozen(rows, column).writeTo(uri(column));
      try (var filter = Woodbird.open(path(column), Keys.ints())) {
        assertThat(filter.mightContain(99)).isTrue();
        assertThat(filter.stats().estimatedKeys()).isEqualTo(column.equals("b") ? 100 : 500);
      }
    }
    for (String column : new String[] {"bytes", "nested.inner"}) {
      WoodbirdSpark.frozen(rows, column).writeTo(uri(column));
      try (var filter = Woodbird.open(path(column), Keys.strings())) {
        assertThat(LongStream.range(0, 500).allMatch(i -> filter.mightContain("k" + i))).isTrue();
      }
    }
  }

  @Test
  void writeTo_nulls_areLeftOut() throws IOException {
    frozen(urls(1000).selectExpr("if(length(url) % 2 = 0, url, null) AS url"))
        .writeTo(uri("cluster"));
    one(Keys.strings())
        .buildTo(
            path("one"),
            LongStream.range(0, 1000)
                .mapToObj(i -> "https://example.com/" + i)
                .filter(url -> url.length() % 2 == 0));
    assertSame();
  }

  @Test
  void writeTo_refusesWhatCantBeAKey() {
    Dataset<Row> rows = Cluster.session().range(3).selectExpr("cast(id AS double) AS url");
    assertThatThrownBy(() -> frozen(rows).writeTo(uri("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not double");
    Dataset<Row> lower = urls(3).selectExpr("url COLLATE UTF8_LCASE AS url");
    assertThatThrownBy(() -> frozen(lower).writeTo(uri("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("UTF8_LCASE");
    assertThatThrownBy(() -> frozen(urls(1000)).maxBytes(100).writeTo(uri("x")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1,000 keys do not fit");
    assertThat(path("x")).doesNotExist();
  }

  @Test
  void writeTo_aFolderThatIsMissing_failsBeforeTheKeysAreRead() {
    Dataset<Row> unread = urls(3).selectExpr("raise_error('read') AS url");
    assertThatThrownBy(() -> frozen(unread).writeTo(uri("missing/x")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void writeTo_rowsThatChange_areNoticedOrHarmless() throws IOException {
    // Each time it is computed, the dataset has other keys; it is computed once.
    Dataset<Row> random =
        Cluster.session().range(100_000).select(functions.rand().cast("string").as("url"));
    FilterPlan plan = frozen(random).writeTo(uri("cluster"));
    assertThat(plan.keys()).isEqualTo(100_000);
  }

  private static Dataset<Row> urls(long count) {
    return Cluster.session()
        .range(count)
        .select(functions.concat(functions.lit("https://example.com/"), functions.col("id")))
        .toDF("url");
  }

  private static FrozenFileBuilder frozen(Dataset<Row> rows) {
    return WoodbirdSpark.frozen(rows, "url").seed(SEED);
  }

  private static <K> FrozenBuilder<K> one(io.woodbird.key.KeyHasher<K> keys) {
    return Woodbird.frozen(keys).seed(SEED);
  }

  private Path path(String name) {
    return folder.resolve(name + " 100%.wbird");
  }

  private String uri(String name) {
    return "file:" + path(name);
  }

  private void assertSame() throws IOException {
    assertThat(Files.mismatch(path("cluster"), path("one"))).isEqualTo(-1);
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactlyInAnyOrder(path("cluster"), path("one"));
    }
  }
}
