package io.woodbird.filter.bloom;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.words.WordSource;

/** The four-bit counters of a counting Bloom filter: one where a blocked Bloom filter has a bit. */
record Counters(BlockedBloom layout, WordSource words) {
  /*
   * Bit b of word w of the Bloom filter is counter b of the four words from 4 w on, sixteen counters to
   * a word. A block has 256 bytes; a key looks at two or four groups of 32 of them.
   */
  static final int STUCK = 15;

  /** Takes the word and the shift of a counter; false ends the walk. */
  interface Visitor {
    boolean visit(long word, int shift);
  }

  /** Returns the word of a counter of this hash that is zero, or -1 if there is none. */
  long zeroWord(long hash) {
    long[] found = {-1};
    visit(
        hash,
        (word, shift) -> {
          if ((words.get(word) >>> shift & STUCK) != 0) {
            return true;
          }
          found[0] = word;
          return false;
        });
    return found[0];
  }

  /**
   * Walks over the counters of a hash and says whether it came to the end; a counter twice that
   * both of its blocks name, if they are one.
   */
  boolean visit(long hash, Visitor visitor) {
    return visitBlock(hash, visitor)
        && (layout.shape().blocks() == 1 || visitBlock(BlockedBloom.other(hash), visitor));
  }

  private boolean visitBlock(long hash, Visitor visitor) {
    long base = BlockedBloom.block(hash, layout.blockCount()) * BlockedBloom.WORDS;
    long fields = layout.fields(hash);
    for (int j = 0; j < layout.shape().words(); j++) {
      if (!visitWord(base + layout.word(fields, j), layout.mask(fields, j), visitor)) {
        return false;
      }
    }
    return true;
  }

  private static boolean visitWord(long word, long mask, Visitor visitor) {
    for (long left = mask; left != 0; left &= left - 1) {
      int bit = Long.numberOfTrailingZeros(left);
      if (!visitor.visit(4 * word + (bit >>> 4), 4 * (bit & 15))) {
        return false;
      }
    }
    return true;
  }

  /** The bits of a Bloom filter in which a bit is set where a counter is not zero. */
  static long bitsOf(WordSource counters, long word) {
    long bits = 0;
    for (int i = 0; i < 4; i++) {
      long nibbles = counters.get(4 * word + i);
      for (int j = 0; j < 16; j++) {
        bits |= ((nibbles >>> (4 * j) & STUCK) == 0 ? 0L : 1L) << (16 * i + j);
      }
    }
    return bits;
  }
}
