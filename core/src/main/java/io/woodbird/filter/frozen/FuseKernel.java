package io.woodbird.filter.frozen;

import io.woodbird.layout.Fuse;
import io.woodbird.words.WordSource;

/** Queries a binary fuse filter of any size. */
final class FuseKernel extends WordsKernel {
  private final ShardTable table;
  private final int width;
  private final long mask;

  FuseKernel(WordSource words, ShardTable table, int width) {
    super(words);
    this.table = table;
    this.width = width;
    this.mask = -1L >>> (64 - width);
  }

  @Override
  boolean lacks(long hash) {
    int entry = table.entryOf(hash);
    int firstSlots = table.high(entry, ShardTable.DIMENSIONS);
    if (firstSlots == 0) {
      return true; // The shard has no keys.
    }
    int segment = table.low(entry, ShardTable.DIMENSIONS);
    int salt = table.high(entry, ShardTable.SHAPE);
    long at = table.word(entry, ShardTable.START);
    long mixed = Fuse.mixed(hash, salt);
    int slot0 = Fuse.slot0(hash, table.shardBits(), salt, firstSlots);
    long sum =
        slot(at, slot0)
            ^ slot(at, Fuse.slot1(slot0, mixed, segment))
            ^ slot(at, Fuse.slot2(slot0, mixed, segment))
            ^ Fuse.fingerprint(mixed);
    return (sum & mask) != 0;
  }

  /** Returns a slot of the shard that begins at word {@code at}; its high bits are garbage. */
  long slot(long at, int slot) {
    long bit = (long) slot * width;
    long word = at + (bit >>> 6);
    int shift = (int) bit & 63;
    long value = word(word) >>> shift;
    return shift + width > 64 ? value | (word(word + 1) << (64 - shift)) : value;
  }

  @Override
  long touch(long hash) {
    int entry = table.entryOf(hash);
    int firstSlots = table.high(entry, ShardTable.DIMENSIONS);
    if (firstSlots == 0) {
      return 0;
    }
    int segment = table.low(entry, ShardTable.DIMENSIONS);
    int salt = table.high(entry, ShardTable.SHAPE);
    long at = table.word(entry, ShardTable.START);
    long mixed = Fuse.mixed(hash, salt);
    int slot0 = Fuse.slot0(hash, table.shardBits(), salt, firstSlots);
    return word(at + (((long) slot0 * width) >>> 6))
        | word(at + (((long) Fuse.slot1(slot0, mixed, segment) * width) >>> 6))
        | word(at + (((long) Fuse.slot2(slot0, mixed, segment) * width) >>> 6));
  }
}
