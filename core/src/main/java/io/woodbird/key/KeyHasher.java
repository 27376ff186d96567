package io.woodbird.key;

import java.util.List;

/**
 * Turns a key into 64 well-mixed bits: the first step of every question and every put.
 *
 * <p>A filter never sees a key, only its hash. Two hashers that give the same {@link #id()} must
 * give the same hash for the same key and seed, on every machine and in every version: the id is
 * written into files and Redis headers, and data is only opened by a hasher with the id it was
 * written with. {@link Keys} makes the usual ones.
 *
 * <p>An own hasher must spread its result over all 64 bits (a filter uses the high bits to choose a
 * place and the low bits inside it), must use {@code seed}, and must be stateless or thread-safe.
 *
 * @param <K> the type of the keys
 */
public interface KeyHasher<K> {
  /**
   * Returns the hash of a key.
   *
   * @param key the key; never null
   * @param seed chooses one of 2^64 hash functions
   * @return 64 bits, each as good as any other
   * @throws NullPointerException if the key is null
   */
  long hash(K key, long seed);

  /**
   * Returns the hash of a long, as {@link #hash} does, without boxing it where the hasher is for
   * longs.
   *
   * @param key the key
   * @param seed as in {@link #hash}
   * @return the hash
   * @throws ClassCastException if the keys of this hasher are no longs
   */
  @SuppressWarnings("unchecked") // Where K is not Long, the hasher's own cast fails.
  default long hashLong(long key, long seed) {
    return hash((K) (Object) key, seed);
  }

  /**
   * Returns the name of the encoding from keys to bits, at most {@value Keys#MAX_ID_BYTES} bytes of
   * UTF-8, such as {@code "bytes:rapidhash3"}.
   *
   * @return the id
   */
  String id();

  /**
   * Hashes a batch of keys. A batch is where a hasher can overlap the cache misses of fetching its
   * keys; the result is the same as of {@link #hash}, one by one.
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
