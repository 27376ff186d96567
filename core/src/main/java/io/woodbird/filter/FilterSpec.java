package io.woodbird.filter;

import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.KeyHasher;
import java.util.stream.LongStream;

/**
 * The parameters that every filter has, whatever its layout.
 *
 * @param keys hashes the keys
 * @param seed chooses the hash function
 * @param expectedKeys the number of keys up to which promisedFpp holds
 * @param promisedFpp the false positive probability that the builder was asked for
 */
public record FilterSpec<K>(KeyHasher<K> keys, long seed, long expectedKeys, double promisedFpp) {
  /** Returns what a file says of its filter. */
  public static <K> FilterSpec<K> of(Header header, KeyHasher<K> keys) {
    return new FilterSpec<>(keys, header.seed(), header.expectedKeys(), header.promisedFpp());
  }

  /** Returns the header of a file. The layout defines what the parameters mean. */
  public Header header(LayoutId layout, long keyCount, long dataBytes, long... parameters) {
    return new Header(
        layout,
        seed,
        keys.id(),
        expectedKeys,
        promisedFpp,
        keyCount,
        dataBytes,
        LongStream.of(parameters).boxed().toList());
  }
}
