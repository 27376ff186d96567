package io.woodbird.key;

import java.util.List;

/**
 * Turns a key into a hash of 64 well-mixed bits, the first step of every question and every put.
 *
 * <p>A filter never stores a key, only bits derived from its hash. Two hashers with the same {@link
 * #id()} must return the same hash for the same key and seed, on every machine and in every
 * version. The id is written into files and Redis headers, and data can only be opened with a
 * hasher of that id. {@link Keys} has hashers for the usual types.
 *
 * <p>A hasher of your own must spread its result over all 64 bits: a filter uses the high bits to
 * choose a place and the low bits inside it. It must use {@code seed}, and it must be stateless or
 * thread-safe.
 *
 * @param <K> the type of the keys
 */
public interface KeyHasher<K> {
  /**
   * Returns the hash of a key.
   *
   * @param key the key; never null
   * @param seed chooses one of 2^64 hash functions
   * @return 64 bits, all equally well mixed
   * @throws NullPointerException if the key is null
   */
  long hash(K key, long seed);

  /**
   * Returns the hash of a long, the same that {@link #hash} returns. The integer hashers of {@link
   * Keys} do not box it.
   *
   * @param key the key
   * @param seed as in {@link #hash}
   * @return the hash
   * @throws ClassCastException if the keys of this hasher are not longs
   */
  @SuppressWarnings("unchecked") // Where K is not Long, the hasher's own cast fails.
  default long hashLong(long key, long seed) {
    return hash((K) (Object) key, seed);
  }

  /**
   * {@return the name of the encoding from keys to hashes, such as {@code "bytes:rapidhash3"}} It
   * has at most {@value Keys#MAX_ID_BYTES} bytes of UTF-8.
   */
  String id();

  /**
   * Hashes a batch of keys. In a batch a hasher can overlap the cache misses of loading the keys.
   * The results are those of {@link #hash} for each key.
   *
   * @param keys the keys, none of them null
   * @param seed as in {@link #hash}
   * @param hashes receives the hashes, in order
   */
  default void hashAll(List<? extends K> keys, long seed, long[] hashes) {
    for (int i = 0; i < keys.size(); i++) {
      hashes[i] = hash(keys.get(i), seed);
    }
  }
}
