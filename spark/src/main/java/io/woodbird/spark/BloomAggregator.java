package io.woodbird.spark;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.spark.sql.Encoder;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.expressions.Aggregator;
import org.jspecify.annotations.Nullable;

/** Puts the keys of a group into a Bloom filter; the result is the bytes of the filter. */
final class BloomAggregator<K> extends Aggregator<K, SerializableFilter<K>, byte[]> {
  private static final long serialVersionUID = 1L;

  private final int hasher;
  private final long expectedKeys;
  private final double fpp;
  private final long seed;

  /**
   * Makes an aggregate.
   *
   * @param seed the same in all tasks, so that their filters can be united
   */
  BloomAggregator(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
    this.hasher = SerializableFilter.numberOf(keys);
    this.expectedKeys = expectedKeys;
    this.fpp = fpp;
    this.seed = seed;
    SerializableFilter.requireSendable(Woodbird.bloom(keys, expectedKeys).fpp(fpp).plan().bytes());
  }

  @Override
  public SerializableFilter<K> zero() {
    KeyHasher<K> keys = SerializableFilter.hasher(hasher);
    return SerializableFilter.of(
        Woodbird.bloom(keys, expectedKeys).fpp(fpp).seed(seed).build(), keys);
  }

  @Override
  public SerializableFilter<K> reduce(SerializableFilter<K> buffer, @Nullable K key) {
    if (key != null) {
      bloom(buffer).put(key);
    }
    return buffer;
  }

  @Override
  public SerializableFilter<K> merge(SerializableFilter<K> left, SerializableFilter<K> right) {
    bloom(left).union(bloom(right));
    return left;
  }

  private static <K> BloomFilter<K> bloom(SerializableFilter<K> buffer) {
    return (BloomFilter<K>) buffer.filter();
  }

  @Override
  public byte[] finish(SerializableFilter<K> buffer) {
    try {
      return SerializableFilter.bytes(buffer.filter());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"}) // A class literal has no type argument.
  public Encoder<SerializableFilter<K>> bufferEncoder() {
    return (Encoder) Encoders.javaSerialization(SerializableFilter.class);
  }

  @Override
  public Encoder<byte[]> outputEncoder() {
    return Encoders.BINARY();
  }
}
