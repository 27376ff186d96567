package io.woodbird.filter.window;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import io.woodbird.words.WordSource;
import org.jspecify.annotations.Nullable;

/** Finds the generations in which a key may be, from the words of a window. */
final class WindowWords {
  private final Generational layout;
  private final WordSource words;
  private final long @Nullable [] heap;

  WindowWords(Generational layout, WordSource words) {
    this.layout = layout;
    this.words = words;
    this.heap = words instanceof HeapWords onHeap ? onHeap.array() : null;
  }

  /** Whether a hash may be in one of the given generations, one bit each. */
  boolean isIn(long hash, int generations) {
    return (generations & generationsOf(hash)) != 0;
  }

  /** Returns the generations in which a hash may be, one bit each. */
  int generationsOf(long hash) {
    int lacking = lacking(hash);
    if (layout.isPair()) {
      lacking |= lacking(BlockedBloom.other(hash));
    }
    return ~lacking;
  }

  /** Returns the generations in which a bit of the hash is not set, one bit each. */
  private int lacking(long hash) {
    // A local variable for each generation: an array would be in memory and take twice the time.
    long base = layout.base(hash);
    BlockedBloom bloom = layout.bloom();
    long fields = bloom.fields(hash);
    int count = bloom.shape().words();
    long g0 = 0;
    long g1 = 0;
    long g2 = 0;
    long g3 = 0;
    long g4 = 0;
    long g5 = 0;
    long g6 = 0;
    long g7 = 0;
    for (int j = 0; j < count; j++) {
      long line = base + (long) Generational.COUNT * bloom.word(fields, j);
      int at = HeapWords.index(line);
      long mask = bloom.mask(fields, j);
      g0 |= mask & ~word(line, at, 0);
      g1 |= mask & ~word(line, at, 1);
      g2 |= mask & ~word(line, at, 2);
      g3 |= mask & ~word(line, at, 3);
      g4 |= mask & ~word(line, at, 4);
      g5 |= mask & ~word(line, at, 5);
      g6 |= mask & ~word(line, at, 6);
      g7 |= mask & ~word(line, at, 7);
    }
    return bit(g0)
        | bit(g1) << 1
        | bit(g2) << 2
        | bit(g3) << 3
        | bit(g4) << 4
        | bit(g5) << 5
        | bit(g6) << 6
        | bit(g7) << 7;
  }

  /** Returns word {@code i} of a line, which is at index {@code at} if there is an array. */
  private long word(long line, int at, int i) {
    // With one int as base, the JIT checks the bounds of the array once for all eight words.
    return heap != null ? heap[at + i] : words.get(line + i);
  }

  /** 1 if any bit is set, else 0. */
  private static int bit(long bits) {
    return (int) ((bits | -bits) >>> 63);
  }

  /** Loads what a question reads. */
  long touch(long hash) {
    BlockedBloom bloom = layout.bloom();
    long fields = bloom.fields(hash);
    long touched = 0;
    for (int j = 0; j < bloom.shape().words(); j++) {
      long line = (long) Generational.COUNT * bloom.word(fields, j);
      touched |= words.get(layout.base(hash) + line);
    }
    return touched;
  }
}
