package io.woodbird.filter;

import io.woodbird.layout.Fuse;
import java.util.Arrays;

/** Peels one shard of a binary fuse filter. Used again from shard to shard. */
final class FuseSolver implements ShardSolver {
  /*
   * Every slot knows how many keys own it, the xor of their hashes, and the xor of which of their three
   * slots it is. A slot with one owner reveals that key; the key is taken off and its other slots lose
   * an owner. When all keys are off, they are put back in reverse order: each finds the slot that was
   * only its own still free to make its xor right. If keys remain, which is rare, another salt.
   */
  private final int width;
  private final int shardBits;
  private byte[] owners = new byte[0]; // count << 2 | xor of the index
  private long[] hashes = new long[0];
  private long[] order = new long[0];
  private byte[] orderIndex = new byte[0];
  private int[] queue = new int[0];

  FuseSolver(int width, int shardBits) {
    this.width = width;
    this.shardBits = shardBits;
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    int segment = Fuse.segmentLength(count);
    int firstSlots = Fuse.firstSlots(count, segment);
    int slots = count == 0 ? 0 : firstSlots + 2 * segment;
    long[] entry = new long[ShardTable.ENTRY_WORDS];
    entry[ShardTable.DIMENSIONS] = ShardTable.pack(segment, firstSlots);
    entry[ShardTable.KEYS] = count;
    reserve(slots, count);
    for (int salt = 0; salt < 1000; salt++) {
      if (peel(sorted, count, segment, firstSlots, salt)) {
        entry[ShardTable.SHAPE] = ShardTable.pack(width, salt);
        double fpp = count == 0 ? 0 : Math.pow(2, -width);
        return new Shard(entry, assign(count, slots, segment, firstSlots, salt), fpp);
      }
    }
    throw new IllegalStateException("a fuse filter of " + count + " keys could not be built");
  }

  private void reserve(int slots, int count) {
    if (owners.length < slots) {
      owners = new byte[slots];
      hashes = new long[slots];
      queue = new int[slots + 3];
    }
    if (order.length < count) {
      order = new long[count];
      orderIndex = new byte[count];
    }
  }

  private boolean peel(long[] sorted, int count, int segment, int firstSlots, int salt) {
    int slots = count == 0 ? 0 : firstSlots + 2 * segment;
    Arrays.fill(owners, 0, slots, (byte) 0);
    Arrays.fill(hashes, 0, slots, 0);
    for (int i = 0; i < count; i++) {
      long hash = sorted[i];
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, segment);
      int slot2 = Fuse.slot2(slot0, mixed, segment);
      if ((owners[slot0] | owners[slot1] | owners[slot2]) < 0) {
        return false; // 32 owners: the count is about to overflow, and another salt spreads them.
      }
      own(slot0, 0, hash);
      own(slot1, 1, hash);
      own(slot2, 2, hash);
    }
    int waiting = 0;
    for (int slot = 0; slot < slots; slot++) {
      queue[waiting] = slot;
      waiting += ownerCount(slot) == 1 ? 1 : 0;
    }
    int done = 0;
    while (waiting > 0) {
      int slot = queue[--waiting];
      if (ownerCount(slot) != 1) {
        continue;
      }
      long hash = hashes[slot];
      int found = owners[slot] & 3;
      order[done] = hash;
      orderIndex[done++] = (byte) found;
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, segment);
      int slot2 = Fuse.slot2(slot0, mixed, segment);
      disown(slot0, 0, hash);
      disown(slot1, 1, hash);
      disown(slot2, 2, hash);
      // The slot just emptied has no owner now, so it does not queue again.
      queue[waiting] = slot0;
      waiting += ownerCount(slot0) == 1 ? 1 : 0;
      queue[waiting] = slot1;
      waiting += ownerCount(slot1) == 1 ? 1 : 0;
      queue[waiting] = slot2;
      waiting += ownerCount(slot2) == 1 ? 1 : 0;
    }
    return done == count;
  }

  private int ownerCount(int slot) {
    return (owners[slot] & 0xff) >>> 2;
  }

  private void own(int slot, int index, long hash) {
    owners[slot] = (byte) ((owners[slot] + 4) ^ index);
    hashes[slot] ^= hash;
  }

  private void disown(int slot, int index, long hash) {
    owners[slot] = (byte) ((owners[slot] - 4) ^ index);
    hashes[slot] ^= hash;
  }

  private long[] assign(int count, int slots, int segment, int firstSlots, int salt) {
    long[] words = new long[Math.toIntExact(((long) slots * width + 63) >>> 6)];
    for (int i = count - 1; i >= 0; i--) {
      long hash = order[i];
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, segment);
      int slot2 = Fuse.slot2(slot0, mixed, segment);
      int own = orderIndex[i] == 0 ? slot0 : orderIndex[i] == 1 ? slot1 : slot2;
      long value =
          Fuse.fingerprint(mixed) ^ get(words, slot0) ^ get(words, slot1) ^ get(words, slot2);
      set(words, own, value & (-1L >>> (64 - width)));
    }
    return words;
  }

  private long get(long[] words, int slot) {
    long bit = (long) slot * width;
    int word = (int) (bit >>> 6);
    int shift = (int) bit & 63;
    long value = words[word] >>> shift;
    return shift + width > 64 ? value | words[word + 1] << (64 - shift) : value;
  }

  /** Sets a slot that is still zero. */
  private void set(long[] words, int slot, long value) {
    long bit = (long) slot * width;
    int word = (int) (bit >>> 6);
    int shift = (int) bit & 63;
    words[word] |= value << shift;
    if (shift + width > 64) {
      words[word + 1] |= value >>> (64 - shift);
    }
  }
}
