package io.woodbird.filter.bloom;

import static io.woodbird.layout.BlockedBloom.block;
import static io.woodbird.layout.BlockedBloom.highWord;
import static io.woodbird.layout.BlockedBloom.lowWord;
import static io.woodbird.layout.BlockedBloom.other;
import static io.woodbird.layout.BlockedBloom.pattern;
import static io.woodbird.layout.BlockedBloom.sectorWord;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.words.PageWords;
import org.jspecify.annotations.Nullable;

/** A blocked Bloom filter that answers from a file. Its bits are stored inverted. */
final class StoredBlockedBloom extends StoredForm {
  private final BlockedBloom layout;
  private final long blocks;
  private final boolean two;
  private final boolean pair;
  private final int bits;
  private final StoredFile file;
  private final @Nullable PageWords pages;

  StoredBlockedBloom(StoredFile file, BlockedBloom layout) {
    super(file);
    this.file = file;
    this.pages = file.pages();
    this.layout = layout;
    this.blocks = layout.blockCount();
    this.two = layout.shape().words() == 2;
    this.pair = layout.shape().blocks() == 2;
    this.bits = layout.shape().bits();
  }

  @Override
  protected boolean denies(long hash) {
    return proves(hash) || (pair && proves(other(hash)));
  }

  /** Whether a block lacks a bit of this hash, and was really read. */
  private boolean proves(long hash) {
    return file.pageGood(base(hash))
        && missing(hash, base(hash), null) != 0
        && file.pageThere(base(hash));
  }

  @Override
  protected int keptIfWhole(long hash) {
    return pair ? kept(hash) & kept(other(hash)) : kept(hash);
  }

  /** 0 if a block lacks a bit of this hash and lies in a good page, else 1. */
  private int kept(long hash) {
    long base = base(hash);
    PageWords all = pages;
    long[] array = all == null ? null : all.segment(base);
    if (all == null || array == null || !PageWords.has(array, base)) {
      if (!file.pageGood(base)) {
        return 1;
      }
      array = all == null ? null : all.segment(base);
    }
    long missing = missing(hash, base, array);
    return 1 ^ (int) ((missing | -missing) >>> 63); // No branch that half of the keys mispredict.
  }

  @Override
  protected boolean lacks(long hash) {
    return lacksBit(hash) || (pair && lacksBit(other(hash)));
  }

  private boolean lacksBit(long hash) {
    return !file.readable(base(hash)) || missing(hash, base(hash), null) != 0;
  }

  /** The bits of a hash that are not set in its block, which is in the array if there is one. */
  private long missing(long hash, long base, long @Nullable [] array) {
    if (two) {
      long low = word(base, lowWord(hash), array);
      long high = word(base, highWord(hash), array);
      return BlockedBloom.missing(hash, bits, low, high);
    }
    long pattern = pattern(hash);
    long word0 = word(base, sectorWord(pattern, 0), array);
    long word1 = word(base, sectorWord(pattern, 1), array);
    long word2 = word(base, sectorWord(pattern, 2), array);
    long word3 = word(base, sectorWord(pattern, 3), array);
    return BlockedBloom.missing(pattern, bits, word0, word1, word2, word3);
  }

  private long word(long base, int word, long @Nullable [] array) {
    return ~(array != null ? array[PageWords.index(base) + word] : file.word(base + word));
  }

  private long base(long hash) {
    return block(hash, blocks) * BlockedBloom.WORDS;
  }

  @Override
  protected long touch(long hash) {
    return first(hash) | (pair ? first(other(hash)) : 0);
  }

  private long first(long hash) {
    long base = base(hash);
    return file.pageGood(base) ? file.word(base) : 0;
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return new BloomShape.Blocked(layout).stats(word -> ~file.get(word), spec, file.doubts());
  }
}
