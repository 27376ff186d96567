package io.woodbird.filter.bloom;

import static io.woodbird.layout.BlockedBloom.block;
import static io.woodbird.layout.BlockedBloom.highMask;
import static io.woodbird.layout.BlockedBloom.highWord;
import static io.woodbird.layout.BlockedBloom.lowMask;
import static io.woodbird.layout.BlockedBloom.lowWord;
import static io.woodbird.layout.BlockedBloom.other;
import static io.woodbird.layout.BlockedBloom.pattern;
import static io.woodbird.layout.BlockedBloom.sectorMask;
import static io.woodbird.layout.BlockedBloom.sectorWord;

import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.BlockShape;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.words.HeapWords;
import java.lang.invoke.VarHandle;

/** A blocked Bloom filter on the heap, of any shape. */
class BlockedBloomFilter<K> extends HeapBloomFilter<K> {
  /*
   * A question computes all its words before it decides: a branch after the first word would be
   * mispredicted for every other key of a mixed load, which costs more than the second load from a
   * line that is there anyhow (LookupBench, mix). A batch runs in two passes over 128 hashes: the
   * first only loads one word of each block, so that all misses are in flight at once; the second
   * finds the blocks in L1. Java has no prefetch; a load whose result is hardly used is one.
   *
   * A put looks at all words, then sets them in order, and answers with the fate of the last word it
   * saw incomplete: true if its own write completed that word. So at most one of several threads
   * that put the same key gets true. Say A completed word a, and B a later word b. A had seen b
   * complete, so B was past a when A looked, so A found a complete and did not write it.
   */
  private final BlockedBloom layout;
  private final long blocks;
  private final boolean two;
  private final boolean pair;
  private final int bits;
  private final HeapWords words;
  private final long[] array;

  /** Makes an empty filter. */
  static <K> BlockedBloomFilter<K> of(
      FilterSpec<K> spec, BlockedBloom layout, OverfullNotices notices) {
    return layout.shape() == BlockShape.TWO_3
        ? new TwoWords<>(spec, layout, notices)
        : new BlockedBloomFilter<>(spec, layout, notices);
  }

  BlockedBloomFilter(FilterSpec<K> spec, BlockedBloom layout, OverfullNotices notices) {
    super(spec, notices);
    this.layout = layout;
    this.blocks = layout.blockCount();
    this.two = layout.shape().words() == 2;
    this.pair = layout.shape().blocks() == 2;
    this.bits = layout.shape().bits();
    this.words = new HeapWords(blocks * BlockedBloom.WORDS);
    this.array = words.array();
  }

  @Override
  public boolean mightContainHash(long hash) {
    return missing(hash) == 0;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        long missing = missing(hashes[i]);
        selected[kept] = i;
        // 1 if nothing is missing, without a branch that half of the keys would mispredict.
        kept += (int) ((missing | -missing) >>> 63) ^ 1;
      }
    }
    return kept;
  }

  /** Returns the bits of a hash that are not set, or'ed together: 0 if it may be here. */
  private long missing(long hash) {
    if (two) {
      long missing = missingOfTwo(hash, bits);
      return pair ? missing | missingOfTwo(other(hash), bits) : missing;
    }
    return pair ? missingOfFour(hash) | missingOfFour(other(hash)) : missingOfFour(hash);
  }

  /** Of two words with {@code count} bits each, the bits of a hash that are not set. */
  final long missingOfTwo(long hash, int count) {
    long[] held = array; // A field would be read again after each opaque read.
    int base = base(hash);
    long low = HeapWords.getOpaque(held, base + lowWord(hash));
    long high = HeapWords.getOpaque(held, base + highWord(hash));
    return BlockedBloom.missing(hash, count, low, high);
  }

  private long missingOfFour(long hash) {
    long pattern = pattern(hash);
    int base = base(hash);
    long word0 = words.getOpaque(base + sectorWord(pattern, 0));
    long word1 = words.getOpaque(base + sectorWord(pattern, 1));
    long word2 = words.getOpaque(base + sectorWord(pattern, 2));
    long word3 = words.getOpaque(base + sectorWord(pattern, 3));
    return BlockedBloom.missing(pattern, bits, word0, word1, word2, word3);
  }

  private int base(long hash) {
    return HeapWords.index(block(hash, blocks) * BlockedBloom.WORDS);
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= array[base(hashes[i])];
    }
    if (pair) {
      for (int i = from; i < to; i++) {
        touched |= array[base(other(hashes[i]))];
      }
    }
    use(touched);
  }

  @Override
  boolean set(long hash) {
    if (!pair) {
      return two ? setTwo(hash) : setFour(hash);
    }
    long second = other(hash);
    if (base(hash) == base(second)) {
      return setInOneBlock(hash, second);
    }
    // The second block too is looked at before the first is written.
    boolean decides = (two ? missingOfTwo(second, bits) : missingOfFour(second)) != 0;
    VarHandle.acquireFence();
    boolean fresh = two ? setTwo(hash) : setFour(hash);
    if (decides) {
      fresh = two ? setTwo(second) : setFour(second);
    }
    return fresh;
  }

  private boolean setTwo(long hash) {
    int base = base(hash);
    int high = base + highWord(hash);
    long highMask = highMask(hash, bits);
    boolean decides = (words.getAcquire(high) & highMask) != highMask;
    boolean fresh = words.setBits(base + lowWord(hash), lowMask(hash, bits));
    return decides ? words.setBits(high, highMask) : fresh;
  }

  private boolean setFour(long hash) {
    long pattern = pattern(hash);
    int base = base(hash);
    int incomplete = 0;
    for (int j = 1; j < 4; j++) {
      long mask = sectorMask(pattern, j, bits);
      incomplete |= (words.getAcquire(base + sectorWord(pattern, j)) & mask) != mask ? 1 << j : 0;
    }
    boolean fresh = words.setBits(base + sectorWord(pattern, 0), sectorMask(pattern, 0, bits));
    for (int j = 1; j < 4; j++) {
      if ((incomplete & 1 << j) != 0) {
        fresh = words.setBits(base + sectorWord(pattern, j), sectorMask(pattern, j, bits));
      }
    }
    return fresh;
  }

  /**
   * Sets the bits of a pair whose two blocks are one. They may share words, and then the bits of
   * the first could complete those of the second; so the bits of both go into a word at once.
   */
  private boolean setInOneBlock(long hash, long second) {
    long[] masks = new long[BlockedBloom.WORDS];
    layout.addTo(masks, hash);
    layout.addTo(masks, second);
    int base = base(hash);
    int last = -1;
    for (int word = 0; word < BlockedBloom.WORDS; word++) {
      last = (words.getAcquire(base + word) & masks[word]) != masks[word] ? word : last;
    }
    boolean fresh = false;
    for (int word = 0; word <= last; word++) {
      fresh = words.setBits(base + word, masks[word]);
    }
    return fresh;
  }

  @Override
  HeapWords words() {
    return words;
  }

  @Override
  BloomShape shape() {
    return new BloomShape.Blocked(layout);
  }

  /**
   * The usual shape, from an fpp of 0.7 % to 3 %: two words of one block, three bits each. It is a
   * class of its own so that a question decides nothing about its shape; the general form looks at
   * three fields (decision 2).
   */
  private static final class TwoWords<K> extends BlockedBloomFilter<K> {
    TwoWords(FilterSpec<K> spec, BlockedBloom layout, OverfullNotices notices) {
      super(spec, layout, notices);
    }

    @Override
    public boolean mightContainHash(long hash) {
      return missingOfTwo(hash, 3) == 0;
    }
  }
}
