package io.woodbird.bench.rival;

/**
 * A set under test: takes keys and says which may be in it.
 *
 * @param <A> an array of keys, {@code long[]} or {@code String[]}
 */
public interface Rival<A> extends AutoCloseable {
  /** How many keys a harness hands over at once: the batch of those that answer in batches. */
  int CHUNK = 1024;

  /** Puts the keys from {@code from} (inclusive) to {@code to} (exclusive). */
  void putAll(A keys, int from, int to);

  /** Returns how many of the keys from {@code from} to {@code to} may be here. */
  int count(A keys, int from, int to);

  /** Called once, after all keys are put and before the first question. */
  default void finish() {}

  /** The bits it takes; read from the object where it tells, else computed. */
  long bits();

  /** Gives free what lies outside the heap. */
  @Override
  default void close() {}
}
