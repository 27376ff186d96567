package io.woodbird.filter.frozen;

/** Answers questions from the data of a frozen filter. */
abstract class FrozenKernel {
  /** Whether the data says that this hash is not in the filter. */
  abstract boolean lacks(long hash);

  /** Loads what {@link #lacks} will read first; returns a value that depends on it. */
  abstract long touch(long hash);

  /** Returns a word of the data as it is stored in files. */
  abstract long word(long index);
}
