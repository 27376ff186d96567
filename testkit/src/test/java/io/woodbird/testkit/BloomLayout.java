package io.woodbird.testkit;

import io.woodbird.BloomBuilder;

/** The two layouts of a Bloom filter, for tests that both must pass. */
public enum BloomLayout {
  BLOCKED,
  CLASSIC;

  /** Returns the builder, told to build this layout. */
  public <K> BloomBuilder<K> of(BloomBuilder<K> builder) {
    return this == CLASSIC ? builder.classic() : builder;
  }
}
