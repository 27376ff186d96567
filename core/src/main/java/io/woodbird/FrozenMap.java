package io.woodbird;

import java.util.OptionalLong;

/**
 * A map from a fixed set of keys to small numbers, such as the list that a key is on, its category
 * or its shard. It takes hardly more bits than the numbers have. Made by {@link
 * Woodbird#frozenMap}.
 *
 * <p>It does not store the keys. A stranger, a key that was not in the set, gets "not here" with
 * the probability that was chosen, and otherwise some number ({@link FrozenMapBuilder#fpp}); or
 * always some number, if the map {@linkplain FrozenMapBuilder#withoutCheck does not recognise
 * strangers}. A key of the set always gets its number.
 *
 * <p>It is also a filter of its keys. On the heap, {@link #close} only ends its use.
 *
 * @param <K> the type of the keys
 */
public interface FrozenMap<K> extends OpenFilter<K> {
  /**
   * Returns the value of a key.
   *
   * @param key the key
   * @return its value; empty if the key is certainly not in the map
   * @throws java.io.UncheckedIOException if the part of the file with this value is damaged, so
   *     that nothing is known; its cause is a {@link CorruptFilterException}
   */
  default OptionalLong get(K key) {
    return getByHash(hashOf(key));
  }

  /**
   * As {@link #get}, for the hash of a key.
   *
   * @param hash from {@link #hashOf}
   * @return the value; empty if the key is certainly not in the map
   * @throws java.io.UncheckedIOException as {@link #get} does
   */
  OptionalLong getByHash(long hash);

  /**
   * As {@link #get}, with a number in place of an empty answer. It makes no object, so it is the
   * fastest way to look up many keys.
   *
   * @param key the key
   * @param absent the answer for a key that is certainly not in the map, best a number that is no
   *     value
   * @return its value; {@code absent} if the key is certainly not in the map
   * @throws java.io.UncheckedIOException as {@link #get} does
   */
  default long getOrDefault(K key, long absent) {
    return getByHashOrDefault(hashOf(key), absent);
  }

  /**
   * As {@link #getOrDefault}, for the hash of a key.
   *
   * @param hash from {@link #hashOf}
   * @param absent the answer for a key that is certainly not in the map
   * @return the value; {@code absent} if the key is certainly not in the map
   * @throws java.io.UncheckedIOException as {@link #get} does
   */
  long getByHashOrDefault(long hash, long absent);
}
