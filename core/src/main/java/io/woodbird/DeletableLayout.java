package io.woodbird;

/** The ways to lay out a filter whose keys can be removed. */
public enum DeletableLayout {
  /**
   * A quotient filter: the smallest, counts exactly, refuses a key when it is full. The default.
   */
  QUOTIENT,

  /**
   * A counting Bloom filter: four-bit counters where a Bloom filter has bits, four times its size.
   * A counter that has reached 15 stays there for ever, so it never denies a key that is still in,
   * but may keep one that was removed. It is never full; its fpp rises instead.
   */
  COUNTING
}
