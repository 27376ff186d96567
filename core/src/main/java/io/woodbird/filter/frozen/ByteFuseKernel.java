package io.woodbird.filter.frozen;

import io.woodbird.layout.Fuse;
import io.woodbird.words.HeapWords;

/** Queries a binary fuse filter of one shard on the heap with slots of five to eight bits. */
final class ByteFuseKernel extends FrozenKernel {
  /*
   * Faster than FuseKernel, because it looks up and shifts nothing: the dimensions are fields, and
   * the slots are bytes, five million at most.
   */
  private final ShardTable table;
  private final int width;
  private final int mask;
  private final byte[] slots;
  private final int firstSlots;
  private final int segment;

  private ByteFuseKernel(HeapWords words, ShardTable table, int width) {
    this.table = table;
    this.width = width;
    this.mask = (1 << width) - 1;
    this.firstSlots = table.high(0, ShardTable.DIMENSIONS);
    this.segment = table.low(0, ShardTable.DIMENSIONS);
    this.slots = new byte[firstSlots + 2 * segment];
    long start = table.word(0, ShardTable.START);
    ShardedByteFuseKernel.unpack(words, start, width, slots, 0, slots.length);
  }

  /** Returns a kernel with bytes for slots if it can hold these words, otherwise a FuseKernel. */
  static FrozenKernel of(HeapWords words, ShardTable table, int width) {
    if (width <= 4 || width > 8) {
      return new FuseKernel(words, table, width);
    }
    if (table.shardBits() > 0) {
      return ShardedByteFuseKernel.of(words, table, width);
    }
    boolean plain =
        table.high(0, ShardTable.SHAPE) == 0 && table.high(0, ShardTable.DIMENSIONS) > 0;
    return plain ? new ByteFuseKernel(words, table, width) : new FuseKernel(words, table, width);
  }

  @Override
  boolean lacks(long hash) {
    return (sum(hash) & mask) != 0;
  }

  /** Returns the xor of slots and fingerprint. The salt is 0, so the hash needs no mixing. */
  private int sum(long hash) {
    int slot0 = Fuse.slot0(hash, 0, 0, firstSlots);
    return slots[slot0]
        ^ slots[Fuse.slot1(slot0, hash, segment)]
        ^ slots[Fuse.slot2(slot0, hash, segment)]
        ^ (int) Fuse.fingerprint(hash);
  }

  @Override
  long touch(long hash) {
    return sum(hash);
  }

  @Override
  long word(long index) {
    if (index < ShardTable.ENTRY_WORDS) {
      return table.word(0, (int) index);
    }
    long firstBit = (index - ShardTable.ENTRY_WORDS) * 64;
    return ShardedByteFuseKernel.packed(slots, 0, slots.length, width, firstBit);
  }
}
