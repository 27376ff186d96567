package io.woodbird;

import java.util.function.LongConsumer;

/**
 * A filter that keeps a fingerprint of every put, so that it counts exactly and can be walked
 * through.
 *
 * <p>What {@link Woodbird#deletable} builds is one, unless it was asked for the {@linkplain
 * DeletableLayout#COUNTING other layout}:
 *
 * <pre>{@code
 * if (filter instanceof FingerprintFilter<Long> exact) {
 *   System.out.println(exact.count());
 * }
 * }</pre>
 *
 * @param <K> the type of the keys
 */
public interface FingerprintFilter<K> extends MergeableFilter<K> {
  /**
   * Counts the puts that were not removed again: exact if only keys were removed that had been put.
   *
   * @return the number of keys, each as often as it is here
   */
  long count();

  /**
   * Takes a hash for every put that was not removed again: not that of the key, but one that this
   * filter can't tell from it. Keys that are put or removed meanwhile may be met or not.
   *
   * @param consumer takes the hashes, in ascending order as unsigned numbers
   */
  void forEachHash(LongConsumer consumer);
}
