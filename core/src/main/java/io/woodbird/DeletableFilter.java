package io.woodbird;

/**
 * A filter whose keys can be removed. It counts: a key that was put twice is here until it was
 * removed twice.
 *
 * @param <K> the type of the keys
 */
public interface DeletableFilter<K> extends MutableFilter<K> {
  /**
   * Removes a key once: undoes one put of it.
   *
   * <p>Remove only what was put. The filter does not know keys, so removing a key that was never
   * put may, with the probability of a false positive, take away the trace of another key: of one
   * in a quotient filter, of about four in a counting Bloom filter that is full at 1 %.
   *
   * @param key a key that was put
   * @return false if the key was certainly not here, and nothing changed
   */
  default boolean remove(K key) {
    return removeHash(hashOf(key));
  }

  /**
   * Removes a long without boxing it, as {@link #putLong} puts it.
   *
   * @param key a key that was put
   * @return as {@link #remove}
   */
  default boolean removeLong(long key) {
    return removeHash(hashOfLong(key));
  }

  /**
   * Removes the key with this hash once.
   *
   * @param hash from {@link #hashOf}
   * @return as {@link #remove}
   */
  boolean removeHash(long hash);
}
