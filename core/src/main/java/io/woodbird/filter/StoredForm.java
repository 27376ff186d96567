package io.woodbird.filter;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;

/** What one layout makes of the words of a file. {@link StoredFilter} has the rules of proof. */
public abstract class StoredForm {
  final StoredFile file;
  final boolean mayVanish;

  protected StoredForm(StoredFile file) {
    this.file = file;
    this.mayVanish = file.mayVanish();
  }

  /** Whether the words of a hash say "not here", and what they say is proven. */
  protected abstract boolean denies(long hash);

  /**
   * 0 if the words of a hash say "not here" and lie in good pages, else 1. Asks for the pages
   * before it reads the words. The caller sees to it that the file is whole.
   */
  protected abstract int keptIfWhole(long hash);

  /** Whether the words of a hash say "not here", proven or not, or can't be read. */
  protected abstract boolean lacks(long hash);

  /** Reads what a question reads first, to bring it into the cache; returns a value made of it. */
  protected abstract long touch(long hash);

  /** Looks at the words as they are now. */
  protected abstract FilterStats look(FilterSpec<?> spec);
}
