package io.woodbird.filter;

import io.woodbird.layout.Fuse;
import io.woodbird.words.HeapWords;

/**
 * Asks a binary fuse filter of eight bits in one shard on the heap, which has the most questions to
 * answer in the least time.
 */
final class ByteFuseKernel extends FrozenKernel {
  /*
   * What differs from FuseKernel is that nothing is looked up or shifted: the dimensions are fields and
   * the slots a copy of the words as bytes, of five million at most. It takes half the time.
   */
  private final FuseKernel general;
  private final byte[] slots;
  private final int firstSlots;
  private final int segment;
  private final int shardBits;

  private ByteFuseKernel(HeapWords words, ShardTable table) {
    super(words, table);
    this.general = new FuseKernel(words, table, 8);
    this.firstSlots = table.high(0, ShardTable.DIMENSIONS);
    this.segment = table.low(0, ShardTable.DIMENSIONS);
    this.shardBits = table.shardBits();
    this.slots = new byte[firstSlots + 2 * segment];
    long start = table.word(0, ShardTable.START);
    for (int slot = 0; slot < slots.length; slot++) {
      slots[slot] = (byte) (words.get(start + (slot >>> 3)) >>> (8 * slot));
    }
  }

  /** Returns the kernel for these words: this one if it fits. */
  static FrozenKernel of(HeapWords words, ShardTable table, int width) {
    boolean fits =
        width == 8
            && table.hasOneShard()
            && table.high(0, ShardTable.SHAPE) == 0
            && table.high(0, ShardTable.DIMENSIONS) > 0;
    return fits ? new ByteFuseKernel(words, table) : new FuseKernel(words, table, width);
  }

  @Override
  boolean lacks(long hash) {
    return sum(hash) != 0;
  }

  /** The xor of the three slots and the fingerprint; the salt is 0, so the hash is its own mix. */
  private byte sum(long hash) {
    int slot0 = Fuse.slot0(hash, shardBits, 0, firstSlots);
    return (byte)
        (slots[slot0]
            ^ slots[Fuse.slot1(slot0, hash, segment)]
            ^ slots[Fuse.slot2(slot0, hash, segment)]
            ^ Fuse.fingerprint(hash));
  }

  @Override
  void visit(long hash, WordVisitor visitor) {
    general.visit(hash, visitor);
  }

  @Override
  long touch(long hash) {
    return sum(hash);
  }
}
