package io.woodbird;

/** The ways to lay out a Bloom filter. */
public enum BloomLayout {
  /** All bits of a key in one cache line, or two below an fpp of 0.1 %: the faster. The default. */
  BLOCKED,

  /**
   * The bits of a key anywhere: the smallest Bloom filter, 5 to 10 % below, several times slower.
   */
  CLASSIC
}
