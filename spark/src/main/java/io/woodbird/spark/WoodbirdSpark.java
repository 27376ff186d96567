package io.woodbird.spark;

import io.woodbird.key.KeyHasher;
import java.util.Objects;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.expressions.UserDefinedFunction;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.IntegralType;
import org.apache.spark.sql.types.LongType;

/**
 * Where Woodbird begins in Spark.
 *
 * <pre>{@code
 * WoodbirdSpark.frozen(urls, "url").fpp(0.001).writeTo("hdfs:///filters/urls.wbird");
 * WoodbirdSpark.reduce(clicks, "url", "hdfs:///filters/urls.wbird").join(urls, "url");
 * }</pre>
 *
 * <p>Keys are columns of strings, binary values or integers. Strings and binary values are hashed
 * as {@link io.woodbird.key.Keys#bytes}, integers of every width as {@link
 * io.woodbird.key.Keys#longs}. So the files are opened outside Spark with {@code Keys.strings()},
 * {@code Keys.bytes()}, {@code Keys.longs()} or {@code Keys.ints()}.
 */
public final class WoodbirdSpark {
  private static final String CATALOG = "spark.sql.catalog.woodbird";
  private static final String FUNCTION = "woodbird." + MightContain.NAME;

  private WoodbirdSpark() {}

  /**
   * Builds a frozen filter of the keys in a column, as one file of any size.
   *
   * @param dataset the rows
   * @param column the name of the column, as in {@link Dataset#col}
   * @return a builder
   */
  public static FrozenFileBuilder frozen(Dataset<?> dataset, String column) {
    Objects.requireNonNull(column, "column");
    return new FrozenFileBuilder(dataset.select(dataset.col(column)));
  }

  /**
   * Builds a Bloom filter of the keys in a column, which takes further keys later.
   *
   * @param <K> the type of the keys
   * @param dataset the rows
   * @param column the name of the column, as in {@link Dataset#col}
   * @param keys the hasher for the keys of the column, one of {@link io.woodbird.key.Keys}
   * @param expectedKeys how many distinct keys the promised fpp must hold for
   * @return a builder
   */
  public static <K> BloomColumnBuilder<K> bloom(
      Dataset<?> dataset, String column, KeyHasher<K> keys, long expectedKeys) {
    Objects.requireNonNull(column, "column");
    return new BloomColumnBuilder<>(dataset.select(dataset.col(column)), keys, expectedKeys);
  }

  /**
   * Makes an aggregate that puts the keys of each group into a Bloom filter. Its result is a binary
   * column with the bytes of the filters, which {@link io.woodbird.Woodbird#readFrom} reads.
   *
   * <pre>{@code
   * var urls = WoodbirdSpark.bloomPerGroup(Keys.strings(), Encoders.STRING(), 100_000, 0.01, 42);
   * clicks.groupBy("country").agg(urls.apply(col("url")).as("filter"));
   * }</pre>
   *
   * <p>Each task has a filter of the whole size for each of its groups. Nulls are left out. Spark
   * casts the column to the type of the encoder; for integers that must be {@code Encoders.LONG()}.
   *
   * @param <K> the type of the keys
   * @param keys the hasher for the keys, one of {@link io.woodbird.key.Keys}
   * @param encoder the encoder for the same type
   * @param expectedKeys how many distinct keys of a group the promised fpp must hold for
   * @param fpp above 0 and below 1
   * @param seed any number; filters with the same seed and size can be united
   * @return the aggregate
   * @throws IllegalArgumentException if the encoder's integers are shorter than a long
   */
  public static <K> UserDefinedFunction bloomPerGroup(
      KeyHasher<K> keys, Encoder<K> encoder, long expectedKeys, double fpp, long seed) {
    // Without ANSI mode, Spark casts a column of bigint to int, and 2^32 + 5 would be put as 5.
    DataType type = encoder.schema().fields()[0].dataType();
    if (type instanceof IntegralType && !(type instanceof LongType)) {
      throw new IllegalArgumentException(
          "Spark may cut larger integers to "
              + type.catalogString()
              + ": use Keys.longs() and Encoders.LONG(), which give the same hashes");
    }
    return functions.udaf(new BloomAggregator<>(keys, expectedKeys, fpp, seed), encoder);
  }

  /**
   * Makes the functions known to SQL, as {@code woodbird.might_contain}. The same as the setting
   * {@code spark.sql.catalog.woodbird=io.woodbird.spark.WoodbirdCatalog}.
   *
   * @param session gets the setting
   */
  public static void register(SparkSession session) {
    session.conf().set(CATALOG, WoodbirdCatalog.class.getName());
  }

  /**
   * Asks a filter about a column, as {@code woodbird.might_contain} does in SQL. The session must
   * know the function, see {@link #register}.
   *
   * <p>A task asks the file that is there at its first question, until the task ends. An executor
   * opens a file once, and again after it was replaced. A file that is not on the executor's
   * machine is copied there first.
   *
   * <p>Constants, rows that the driver itself holds, and the values of partitions are asked while
   * Spark plans a query. A dataset that runs twice may keep its plan and these answers.
   *
   * @param uri the file of the filter, such as {@code hdfs:///filters/urls.wbird}; a file of the
   *     scheme {@code file} must be on every executor's machine
   * @param key the keys: strings, binary values or integers
   * @return false where the key is certainly not here, null where it is null, else true
   */
  public static Column mightContain(String uri, Column key) {
    return functions.call_function(FUNCTION, functions.lit(uri), key);
  }

  /**
   * Keeps the rows whose key may be in a filter. Before a join with the rows that the filter was
   * built from, it throws away most of the rows that the join would drop, and does so before they
   * are shuffled.
   *
   * @param <T> the type of the rows
   * @param dataset the rows
   * @param column the name of the column with the keys
   * @param uri the file of the filter, as in {@link #mightContain}
   * @return the rows whose key is not certainly absent; those without a key are dropped, as an
   *     inner join drops them
   * @throws IllegalArgumentException if the column's type can't be a key
   */
  public static <T> Dataset<T> reduce(Dataset<T> dataset, String column, String uri) {
    return dataset.filter(asked(dataset, column, uri));
  }

  /**
   * Keeps the rows whose key is certainly not in a filter: what is new since the filter was built.
   * Of the rows with new keys it misses the share of the filter's fpp. These are in {@link
   * #reduce}; an anti-join of that small rest with the old rows finds them.
   *
   * @param <T> the type of the rows
   * @param dataset the rows
   * @param column the name of the column with the keys
   * @param uri the file of the filter, as in {@link #mightContain}
   * @return the rows whose key is certainly absent, and those without a key, as an anti-join keeps
   *     them
   * @throws IllegalArgumentException if the column's type can't be a key
   */
  public static <T> Dataset<T> absent(Dataset<T> dataset, String column, String uri) {
    Column maybe = asked(dataset, column, uri);
    return dataset.filter(functions.not(functions.coalesce(maybe, functions.lit(false))));
  }

  private static Column asked(Dataset<?> dataset, String column, String uri) {
    register(dataset.sparkSession());
    // Throws if its values can't be keys.
    KeyColumn.of(dataset.select(dataset.col(column)).schema().fields()[0]);
    return mightContain(uri, dataset.col(column));
  }
}
