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
   *   word 7      ribbon: columns of first segments (low half), 1 if they have a ternary column
   *               (high half)
   *               fuse: zero
   *
   * A shard holds the hashes with the same first bits.
   */
  static final int ENTRY_WORDS = FrozenSize.ENTRY_WORDS;
  static final int START = 0;
  static final int DIMENSIONS = 1;
  static final int SHAPE = 5;
  static final int KEYS = 6;
  static final int FIRST = 7;

  private final long[] entries;
  private final int shardBits;
  private final int indexBits;

  ShardTable(long[] entries, int shardBits) {
    this(entries, shardBits, shardBits);
  }

  private ShardTable(long[] entries, int shardBits, int indexBits) {
    this.entries = entries;
    this.shardBits = shardBits;
    this.indexBits = indexBits;
  }

  static ShardTable read(WordSource words, int shardBits) {
    long[] entries = new long[ENTRY_WORDS << shardBits];
    for (int i = 0; i < entries.length; i++) {
      entries[i] = words.get(i);
    }
    return new ShardTable(entries, shardBits);
  }

  /** Makes a table with a single entry, which every hash finds. */
  static ShardTable ofOne(long[] entry, int shardBits) {
    return new ShardTable(entry, shardBits, 0);
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
    return (int) (hash >>> 1 >>> (63 - indexBits)) * ENTRY_WORDS;
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
