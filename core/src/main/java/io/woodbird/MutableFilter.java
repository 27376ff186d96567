package io.woodbird;

import java.util.Collection;
import java.util.Objects;

/**
 * A filter that takes keys.
 *
 * <p>With more keys than planned, a Bloom filter and a window of time go on and say "maybe here"
 * more often, which {@link FilterStats#overfull} tells; a filter that counts exactly is full, and
 * its put throws; a growing one grows.
 *
 * @param <K> the type of the keys
 */
public interface MutableFilter<K> extends Filter<K> {
  /**
   * Puts a key. When this returns, the key is in.
   *
   * <p>The result answers "was it new?" in the same step. True is certain: no put of this key had
   * returned before, and of several threads that put the same new key at once at most one gets
   * true. False means that the key may have been here already; for a new key that happens with the
   * filter's fpp.
   *
   * @param key the key
   * @return true if the key was certainly new
   * @throws FilterFullException if the filter counts exactly and has no room
   */
  default boolean put(K key) {
    return putHash(hashOf(key));
  }

  /**
   * Puts a long without boxing it: the same as {@link #put} for filters of longs and ints, and a
   * {@link ClassCastException} for others.
   *
   * @param key the key
   * @return as {@link #put}
   */
  default boolean putLong(long key) {
    return putHash(hashOfLong(key));
  }

  /**
   * Puts the key with this hash.
   *
   * @param hash from {@link #hashOf}
   * @return as {@link #put}
   */
  boolean putHash(long hash);

  /**
   * Puts the keys with these hashes, faster than one by one, as their cache misses overlap.
   *
   * @param hashes from {@link #hashOf}
   * @param count how many of them
   * @return how many of them were certainly new
   */
  default int putHashes(long[] hashes, int count) {
    Objects.checkFromIndexSize(0, count, hashes.length);
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      fresh += putHash(hashes[i]) ? 1 : 0;
    }
    return fresh;
  }

  /**
   * Puts many keys, faster than one by one.
   *
   * @param keys the keys
   * @return how many of them were certainly new
   */
  long putAll(Collection<? extends K> keys);
}
