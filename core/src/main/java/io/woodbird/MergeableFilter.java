package io.woodbird;

/**
 * A filter that gives keys back and takes those of another like it.
 *
 * @param <K> the type of the keys
 */
public interface MergeableFilter<K> extends DeletableFilter<K> {
  /**
   * Puts every key of another filter into this one, as often as it is there, without knowing the
   * keys.
   *
   * @param other a filter of the same layout, size, seed and key encoding; best made by the same
   *     builder with an explicit seed
   * @throws IncompatibleFilterException if the two differ; the message shows both
   * @throws FilterFullException if there is no room; then some of the keys were put
   */
  void merge(MergeableFilter<K> other);
}
