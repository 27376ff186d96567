package io.woodbird.bench.rival;

/**
 * A set under test whose keys can be removed.
 *
 * @param <A> an array of keys, {@code long[]} or {@code String[]}
 */
public interface Removing<A> extends Rival<A> {
  /** Removes the keys from {@code from} (inclusive) to {@code to} (exclusive), which were put. */
  void removeAll(A keys, int from, int to);
}
