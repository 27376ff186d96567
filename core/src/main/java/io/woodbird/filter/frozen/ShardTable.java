package io.woodbird.filter.frozen;

import io.woodbird.layout.FrozenSize;
import io.woodbird.words.WordSource;

/** The first words of a frozen filter: where each shard is, and its dimensions. */
final class ShardTable {
  /*
   *   word 0      where the shard's data begins, in words
   *   word 1..4   ribbon: per layer, segments (low half) and first segments (high half)
   *               fuse: word 1 has the segment length (low half) and the first slots (high half)
   *   word 5      ribbon: columns; fuse: bits per slot (low half); salt (high half)
   *   word 6      keys
   *   word 7      ribbon: columns of first segments (low half); 1 if they have a ternary column,
   *               and 256 times the columns of a value (high half)
   *               fuse: zero
   *
   * A shard holds the hashes with the same first bits. A shard of an exact filter has two entries,
   * one for each level.
   */
  static final int ENTRY_WORDS = FrozenSize.ENTRY_WORDS;
  static final int START = 0;
  static final int DIMENSIONS = 1;
  static final int SHAPE = 5;
  static final int KEYS = 6;
  static final int FIRST = 7;

  /** In the high half of {@link #FIRST}. */
  static final int TERNARY = 1;

  static final int VALUE_SHIFT = 8;

  private final long[] entries;
  private final int shardBits;
  private final int indexBits;
  private final int shardWords;

  /** Makes a table of whole entries, as many for each shard. */
  ShardTable(long[] entries, int shardBits) {
    this(entries, shardBits, shardBits);
  }

  private ShardTable(long[] entries, int shardBits, int indexBits) {
    this.entries = entries;
    this.shardBits = shardBits;
    this.indexBits = indexBits;
    this.shardWords = entries.length >>> indexBits;
  }

  static ShardTable read(WordSource words, int shardBits, int entriesPerShard) {
    long[] entries = new long[(entriesPerShard * ENTRY_WORDS) << shardBits];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = words.get(i);
    }
    return new ShardTable(entries, shardBits);
  }

  /** Makes a table with a single shard, which every hash finds. */
  static ShardTable ofOne(long[] entries, int shardBits) {
    return new ShardTable(entries, shardBits, 0);
  }

  int shardBits() {
    return shardBits;
  }

  /** Whether every hash finds the same shard. */
  boolean hasOneShard() {
    return indexBits == 0;
  }

  /** Returns where the entry of a hash's shard begins. */
  int entryOf(long hash) {
    // In two steps, as Java ignores a shift by 64, and with one shard there are no shard bits.
    return (int) (hash >>> 1 >>> (63 - indexBits)) * shardWords;
  }

  /** Whether the first segments of an entry's ribbon have a ternary column. */
  boolean isTernary(int entry) {
    return (high(entry, FIRST) & TERNARY) != 0;
  }

  /** The columns of an entry's ribbon that hold a value. */
  int valueBits(int entry) {
    return high(entry, FIRST) >>> VALUE_SHIFT;
  }

  long word(int entry, int index) {
    return entries[entry + index];
  }

  int low(int entry, int index) {
    return (int) entries[entry + index];
  }

  int high(int entry, int index) {
    return (int) (entries[entry + index] >>> 32);
  }

  static long pack(int low, int high) {
    return (low & 0xffffffffL) | ((long) high << 32);
  }
}
