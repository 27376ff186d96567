package io.woodbird.testkit;

import io.woodbird.DeletableBuilder;

/** The two layouts of a filter whose keys can be removed, for tests that both must pass. */
public enum DeletableLayout {
  QUOTIENT,
  COUNTING;

  /** Returns the builder, told to build this layout. */
  public <K> DeletableBuilder<K> of(DeletableBuilder<K> builder) {
    return this == COUNTING ? builder.counting() : builder;
  }
}
