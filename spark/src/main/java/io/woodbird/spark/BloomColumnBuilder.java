package io.woodbird.spark;

import io.woodbird.BloomBuilder;
import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.Serializable;
import java.security.SecureRandom;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * Builds a Bloom filter from a column of a dataset, for keys that keep coming. Made by {@link
 * WoodbirdSpark#bloom}.
 *
 * <p>Each task fills a filter of the whole size, and the filters are united in a tree. So executors
 * and driver must have room for some of them, and the filter must be smaller than 2 GB. {@link
 * WoodbirdSpark#frozen} has no such limits.
 *
 * @param <K> the type of the keys
 */
public final class BloomColumnBuilder<K> {
  private final Dataset<Row> rows;
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private double fpp = 0.01;
  private @Nullable Long seed;

  BloomColumnBuilder(Dataset<Row> rows, KeyHasher<K> keys, long expectedKeys) {
    this.rows = rows;
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = expectedKeys;
  }

  /**
   * Sets the false positive probability with the expected keys; 1 % if nothing is said.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public BloomColumnBuilder<K> fpp(double value) {
    fpp = value;
    return this;
  }

  /**
   * Fixes the seed of the hash function, so that the same keys give the same bytes. Otherwise it is
   * random.
   *
   * @param value any number
   * @return this
   */
  public BloomColumnBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Builds the filter. Nulls are left out.
   *
   * @return the filter, on the heap of the driver
   * @throws IOException if the filter is too large to be sent
   * @throws IllegalArgumentException if the column holds other keys than the hasher hashes
   */
  public BloomFilter<K> build() throws IOException {
    KeyColumn column = KeyColumn.of(rows.schema().fields()[0]);
    if (!column.id().equals(keys.id())) {
      throw new IllegalArgumentException(
          "the column has keys of " + column.id() + ", and the hasher is one of " + keys.id());
    }
    long chosen = seed != null ? seed : new SecureRandom().nextLong();
    BloomBuilder<K> builder = Woodbird.bloom(keys, expectedKeys).fpp(fpp).seed(chosen);
    SerializableFilter.requireSendable(builder.plan().bytes());
    Partial partial = new Partial(column, expectedKeys, fpp, chosen);
    JavaRDD<byte[]> parts = rows.queryExecution().toRdd().toJavaRDD().mapPartitions(partial::fill);
    if (parts.getNumPartitions() == 0) {
      return builder.build();
    }
    return read(parts.treeReduce(partial::united), keys);
  }

  private static <K> BloomFilter<K> read(byte[] bytes, KeyHasher<K> keys) throws IOException {
    return (BloomFilter<K>) Woodbird.readFrom(new ByteArrayInputStream(bytes), keys);
  }

  /** What a task does. It puts hashes, so the type of the keys does not matter to it. */
  record Partial(KeyColumn column, long expectedKeys, double fpp, long seed)
      implements Serializable {
    private static final long serialVersionUID = 1L;

    private KeyHasher<?> keys() {
      return column.isBytes() ? Keys.bytes() : Keys.longs();
    }

    Iterator<byte[]> fill(Iterator<InternalRow> rows) throws IOException {
      BloomFilter<?> filter = Woodbird.bloom(keys(), expectedKeys).fpp(fpp).seed(seed).build();
      while (rows.hasNext()) {
        InternalRow row = rows.next();
        if (!row.isNullAt(0)) {
          filter.putHash(column.hash(row, seed));
        }
      }
      return List.of(SerializableFilter.bytes(filter)).iterator();
    }

    byte[] united(byte[] left, byte[] right) throws IOException {
      return united(left, right, keys());
    }

    private static <K> byte[] united(byte[] left, byte[] right, KeyHasher<K> keys)
        throws IOException {
      BloomFilter<K> filter = read(left, keys);
      filter.union(read(right, keys));
      return SerializableFilter.bytes(filter);
    }
  }
}
