package io.woodbird;

/**
 * A filter whose keys can be removed, and which can take in all keys of another filter like it.
 *
 * @param <K> the type of the keys
 */
public interface MergeableFilter<K> extends DeletableFilter<K> {
  /**
   * Puts every key of another filter into this one, as often as it is there, without knowing the
   * keys.
   *
   * <p>Filters of a fixed size then are as if all keys had been put into one. A {@linkplain
   * GrowingBuilder growing} filter keeps less of each key the smaller it was when the key came, and
   * a merge can't bring that back: the fpp of the result is up to the sum of both. A thousand
   * growing filters of 50 keys and 1 %, merged into one of a million, make 0.4 % about 32 %. Merge
   * the smaller one into the larger one: the other way round the keys of the larger one count as
   * put anew while the filter grows. {@link FilterStats#currentFpp} tells. So build filters that
   * are to be merged with a fraction of the fpp: for {@code n} of them, {@code fpp / n} in all
   * keeps the promise and takes {@code log2(n)} more bits a key.
   *
   * @param other a filter of the same layout, size, seed and key encoding; best made by the same
   *     builder with an explicit seed
   * @throws IncompatibleFilterException if the two differ; the message shows both
   * @throws FilterFullException if there is no room; then some of the keys were put
   */
  void merge(MergeableFilter<K> other);
}
