package io.woodbird;

/**
 * A Bloom filter: takes keys without locks, can't remove them, and can be united with others.
 *
 * @param <K> the type of the keys
 */
public interface BloomFilter<K> extends MutableFilter<K> {
  /**
   * Puts every key of another filter into this one, without knowing the keys.
   *
   * @param other a filter of the same layout, size, seed and key encoding; best made by the same
   *     builder with an explicit {@link BloomBuilder#seed seed}
   * @throws IncompatibleFilterException if the two differ; the message shows both
   */
  void union(BloomFilter<K> other);
}
