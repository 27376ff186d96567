package io.woodbird.filter.frozen;

import io.woodbird.layout.Fuse;
import io.woodbird.words.HeapWords;

/** Queries many shards of a binary fuse filter that are alike: one segment length, no salt. */
final class EvenFuseKernel extends ShardedByteFuseKernel {
  /*
   * Nearly all filters are like this. Out of the cache the processor works on as many questions at
   * once as it has room for their instructions, so fewer instructions are more misses that overlap:
   * one word about the shard in place of three, and nothing about salts. As shards are whole
   * segments, all slots count from the first one of the array.
   */
  private final byte[] slots;
  private final int shardBits;
  private final int segment;
  private final long[] starts; // low half: the first slot of a shard; high half: its first slots

  EvenFuseKernel(HeapWords words, ShardTable table, int width) {
    super(words, table, width);
    this.slots = slots();
    this.shardBits = table.shardBits();
    this.segment = table.low(0, ShardTable.DIMENSIONS);
    this.starts = new long[1 << shardBits];
    int start = 0;
    for (int shard = 0; shard < starts.length; shard++) {
      int first = table.high(shard * ShardTable.ENTRY_WORDS, ShardTable.DIMENSIONS);
      starts[shard] = ShardTable.pack(start, first);
      start += first + 2 * segment;
    }
  }

  /** Whether all shards have keys, whole segments of the same length, and no salt. */
  static boolean isEven(ShardTable table) {
    int segment = table.low(0, ShardTable.DIMENSIONS);
    if (Integer.bitCount(segment) != 1) {
      return false;
    }
    for (int shard = 0; shard < 1 << table.shardBits(); shard++) {
      int entry = shard * ShardTable.ENTRY_WORDS;
      int first = table.high(entry, ShardTable.DIMENSIONS);
      if (first == 0
          || first % segment != 0
          || table.low(entry, ShardTable.DIMENSIONS) != segment
          || table.high(entry, ShardTable.SHAPE) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  int sum(long hash) {
    long shard = starts[(int) (hash >>> (64 - shardBits))];
    int slot0 = (int) shard + Fuse.slot0(hash, shardBits, 0, (int) (shard >>> 32));
    return slots[slot0]
        ^ slots[Fuse.slot1(slot0, hash, segment)]
        ^ slots[Fuse.slot2(slot0, hash, segment)]
        ^ (int) Fuse.fingerprint(hash);
  }
}
