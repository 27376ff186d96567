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
import io.woodbird.filter.StoredFilter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.words.BufferWords;

/** A blocked Bloom filter that answers from a file. Its bits are stored inverted. */
final class StoredBlockedBloom<K> extends StoredFilter<K> {
  private final BlockedBloom layout;
  private final long blocks;
  private final boolean two;
  private final boolean pair;
  private final int bits;
  private final StoredFile file;
  private final BufferWords words;

  StoredBlockedBloom(FilterSpec<K> spec, StoredFile file, BlockedBloom layout) {
    super(spec, file);
    this.file = file;
    this.words = file.words();
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
    return missing(hash) != 0 && file.proven(base(hash));
  }

  @Override
  protected int keptIfWhole(long hash) {
    return pair ? kept(hash) & kept(other(hash)) : kept(hash);
  }

  /** 0 if a block lacks a bit of this hash and lies in a good page, else 1. */
  private int kept(long hash) {
    long missing = missing(hash);
    // Without a branch that half of the keys would mispredict.
    return 1 ^ ((int) ((missing | -missing) >>> 63) & file.pageGoodBit(base(hash)));
  }

  @Override
  protected boolean lacks(long hash) {
    return missing(hash) != 0 || (pair && missing(other(hash)) != 0);
  }

  /** The bits of a hash that are not set in its block. */
  private long missing(long hash) {
    long base = base(hash);
    if (two) {
      long low = ~words.get(base + lowWord(hash));
      long high = ~words.get(base + highWord(hash));
      return BlockedBloom.missing(hash, bits, low, high);
    }
    long pattern = pattern(hash);
    long word0 = ~words.get(base + sectorWord(pattern, 0));
    long word1 = ~words.get(base + sectorWord(pattern, 1));
    long word2 = ~words.get(base + sectorWord(pattern, 2));
    long word3 = ~words.get(base + sectorWord(pattern, 3));
    return BlockedBloom.missing(pattern, bits, word0, word1, word2, word3);
  }

  private long base(long hash) {
    return block(hash, blocks) * BlockedBloom.WORDS;
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= words.get(base(hashes[i]));
    }
    if (pair) {
      for (int i = from; i < to; i++) {
        touched |= words.get(base(other(hashes[i])));
      }
    }
    use(touched);
  }

  @Override
  protected FilterStats look() {
    return new BloomShape.Blocked(layout).stats(word -> ~file.get(word), spec(), file.doubts());
  }
}
