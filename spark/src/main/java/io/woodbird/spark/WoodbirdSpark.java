package io.woodbird.spark;

import java.util.Objects;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

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
   * <p>A task asks the file that is there when it begins. An executor opens a file once, and again
   * after it was replaced. A file that is not on the executor's machine is copied there first.
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
   */
  public static <T> Dataset<T> reduce(Dataset<T> dataset, String column, String uri) {
    register(dataset.sparkSession());
    return dataset.filter(mightContain(uri, dataset.col(column)));
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
   */
  public static <T> Dataset<T> absent(Dataset<T> dataset, String column, String uri) {
    register(dataset.sparkSession());
    Column maybe = mightContain(uri, dataset.col(column));
    return dataset.filter(functions.not(functions.coalesce(maybe, functions.lit(false))));
  }
}
