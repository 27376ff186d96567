package io.woodbird.filter;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.WordSource;

/** The words of a window, wherever they are stored: tells in which generations a key may be. */
final class WindowWords {
  private final Generational layout;
  private final WordSource words;

  WindowWords(Generational layout, WordSource words) {
    this.layout = layout;
    this.words = words;
  }

  /** Whether a hash may be in one of some generations, one bit each. */
  boolean isIn(long hash, int generations) {
    int lacking = lacking(hash);
    if (layout.isPair()) {
      lacking |= lacking(BlockedBloom.other(hash));
    }
    return (generations & ~lacking) != 0;
  }

  /** The generations, one bit each, in which a hash lacks a bit of its block. */
  private int lacking(long hash) {
    long base = layout.base(hash);
    long pattern = BlockedBloom.pattern(hash);
    int lacking = 0;
    for (int j = 0; j < layout.bloom().shape().words(); j++) {
      long line = base + (long) Generational.COUNT * layout.word(pattern, j);
      long mask = layout.mask(hash, pattern, j);
      for (int generation = 0; generation < Generational.COUNT; generation++) {
        long missing = mask & ~words.get(line + generation);
        lacking |= (int) ((missing | -missing) >>> 63) << generation;
      }
    }
    return lacking;
  }

  /** Loads what a question looks at. */
  long touch(long hash) {
    long pattern = BlockedBloom.pattern(hash);
    long touched = 0;
    for (int j = 0; j < layout.bloom().shape().words(); j++) {
      long line = (long) Generational.COUNT * layout.word(pattern, j);
      touched |= words.get(layout.base(hash) + line);
    }
    return touched;
  }
}
