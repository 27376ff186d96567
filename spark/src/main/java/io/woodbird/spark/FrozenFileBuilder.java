package io.woodbird.spark;

import io.woodbird.FilterPlan;
import io.woodbird.filter.frozen.FrozenGoal;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.Objects;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * Builds a frozen filter from a column of a dataset, on the executors of a cluster. Made by {@link
 * WoodbirdSpark#frozen}.
 *
 * <p>The file is, byte for byte, the one that {@link io.woodbird.FrozenBuilder#buildTo} makes of
 * the same keys with the same seed. Keys may repeat. A null is not a key and is left out. The bytes
 * do not depend on the order of the rows, on the number of executors, or on tasks that were run
 * twice.
 */
public final class FrozenFileBuilder {
  private final Dataset<Row> keys;
  private FrozenGoal goal = FrozenGoal.DEFAULT;
  private @Nullable Long seed;
  private boolean verify = true;

  FrozenFileBuilder(Dataset<Row> keys) {
    this.keys = keys;
  }

  /**
   * Sets the false positive probability; 1 % if nothing is said.
   *
   * @param value below 1 and at least 2^-32
   * @return this
   */
  public FrozenFileBuilder fpp(double value) {
    goal = goal.withFpp(value);
    return this;
  }

  /**
   * Sets the size by the bits per key instead; the fpp is what they give.
   *
   * @param value positive, at most 32
   * @return this
   */
  public FrozenFileBuilder bitsPerKey(double value) {
    goal = goal.withBitsPerKey(value);
    return this;
  }

  /**
   * Sets the size by the bytes that the file may take, all in all; the fpp is the lowest that fits.
   *
   * @param value positive
   * @return this
   */
  public FrozenFileBuilder maxBytes(long value) {
    goal = goal.withMaxBytes(value);
    return this;
  }

  /**
   * Chooses the binary fuse filter, which is faster to ask and 12.5 % larger than the ribbon
   * filter; see {@link io.woodbird.FrozenBuilder#fastToAsk}.
   *
   * @return this
   */
  public FrozenFileBuilder fastToAsk() {
    goal = goal.withFuse(true);
    return this;
  }

  /**
   * Fixes the seed of the hash function, so that the same keys give the same bytes. Otherwise it is
   * random.
   *
   * @param value any number
   * @return this
   */
  public FrozenFileBuilder seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Leaves out asking every key again, about a tenth of the time of the executors.
   *
   * @return this
   */
  public FrozenFileBuilder withoutVerifying() {
    verify = false;
    return this;
  }

  /**
   * Builds the filter. The dataset is read once. Each task needs about 200 MB of memory beside
   * Spark's own, whatever the number of keys, and the executors about 16 bytes of local disk per
   * key. The driver writes the file, a shard at a time.
   *
   * @param uri the file, such as {@code hdfs:///filters/urls.wbird}; if it exists it is replaced,
   *     and only when the new one is complete. A file of the scheme {@code file} is written on the
   *     driver's machine
   * @return what was built
   * @throws IOException if the file can't be written, or exists in a file system that can't replace
   *     a file in one step; then it is as it was
   * @throws IllegalArgumentException if the column's type can't be a key, or the keys do not fit
   *     into the size
   */
  public FilterPlan writeTo(String uri) throws IOException {
    Objects.requireNonNull(uri, "uri");
    BuildTarget target =
        new BuildTarget(uri, keys.sparkSession().sparkContext().hadoopConfiguration());
    long chosen = seed != null ? seed : new SecureRandom().nextLong();
    return new ClusterBuild(keys, goal, chosen, verify).writeTo(target);
  }
}
