package io.woodbird.filter.frozen;

/** Asks the data of a frozen filter. */
abstract class FrozenKernel {
  /** Whether the data says that this hash was not built in. */
  abstract boolean lacks(long hash);

  /** Returns something that {@link #lacks} looks at early. */
  abstract long touch(long hash);

  /** Returns a word of the data as it is in files. */
  abstract long word(long index);
}
