package io.woodbird.filter.frozen;

import io.woodbird.layout.Fuse;
import java.util.Arrays;

/** Solves one shard of a binary fuse filter by peeling. Reused for shard after shard. */
final class FuseSolver implements ShardSolver {
  /*
   * Every slot stores how many keys own it, and the xor of their hashes. So a slot with one owner
   * stores the hash of that key. The key is removed, and its other slots lose an owner. When all
   * keys are removed, they are assigned in reverse order: the slot that had only this owner is
   * still free, and gets the value that makes the key's xor right. If keys remain, which is rare,
   * another salt is tried.
   *
   * Slots with one owner wait on a stack, because the slots that a removed key frees are near it
   * and in the cache. The stack is popped in batches, so that the loads of one slot do not wait for
   * the slot before: a third less time.
   */
  private final int width;
  private final int shardBits;
  private byte[] owners = new byte[0];
  private long[] hashes = new long[0];
  private long[] order = new long[0];
  private int[] orderSlot = new int[0];
  private int[] queue = new int[0];
  private final int[] batch = new int[128];

  FuseSolver(int width, int shardBits) {
    this.width = width;
    this.shardBits = shardBits;
  }

  @Override
  public Shard solve(long[] sorted, int count, long wordLimit) {
    int segment = Fuse.segmentLength(count);
    int firstSlots = Fuse.firstSlots(count, segment);
    int slots = Fuse.slots(count);
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
      orderSlot = new int[count];
    }
  }

  private boolean peel(long[] sorted, int count, int segment, int firstSlots, int salt) {
    int slots = count == 0 ? 0 : firstSlots + 2 * segment;
    Arrays.fill(owners, 0, slots, (byte) 0);
    Arrays.fill(hashes, 0, slots, 0);
    return ownSlots(sorted, count, segment, firstSlots, salt)
        && takeOff(queueSingles(slots), segment, firstSlots, salt) == count;
  }

  /** Adds every key to its slots; returns false if a slot has too many owners. */
  private boolean ownSlots(long[] sorted, int count, int segment, int firstSlots, int salt) {
    for (int i = 0; i < count; i++) {
      long hash = sorted[i];
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, segment);
      int slot2 = Fuse.slot2(slot0, mixed, segment);
      if ((owners[slot0] | owners[slot1] | owners[slot2]) < 0) {
        return false; // 128 owners: the count could overflow. Another salt spreads them.
      }
      own(slot0, hash);
      own(slot1, hash);
      own(slot2, hash);
    }
    return true;
  }

  /** Queues the slots with one owner and returns how many there are. */
  private int queueSingles(int slots) {
    int waiting = 0;
    for (int slot = 0; slot < slots; slot++) {
      queue[waiting] = slot;
      waiting += isOne(owners[slot] & 0xff);
    }
    return waiting;
  }

  /** Removes keys as long as slots are queued, and returns how many it removed. */
  private int takeOff(int queued, int segment, int firstSlots, int salt) {
    int waiting = queued;
    int done = 0;
    while (waiting > 0) {
      int size = Math.min(waiting, batch.length);
      waiting -= size;
      System.arraycopy(queue, waiting, batch, 0, size);
      for (int i = 0; i < size; i++) {
        int slot = batch[i];
        if (owners[slot] != 1) {
          continue;
        }
        long hash = hashes[slot];
        order[done] = hash;
        orderSlot[done++] = slot;
        long mixed = Fuse.mixed(hash, salt);
        int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
        int slot1 = Fuse.slot1(slot0, mixed, segment);
        int slot2 = Fuse.slot2(slot0, mixed, segment);
        // One of the three is this slot. It has no owner now, so it is not queued again.
        queue[waiting] = slot0;
        waiting += disown(slot0, hash);
        queue[waiting] = slot1;
        waiting += disown(slot1, hash);
        queue[waiting] = slot2;
        waiting += disown(slot2, hash);
      }
    }
    return done;
  }

  private void own(int slot, long hash) {
    owners[slot]++;
    hashes[slot] ^= hash;
  }

  /** Removes a key from a slot and returns 1 if one owner is left, otherwise 0. */
  private int disown(int slot, long hash) {
    int left = (owners[slot] & 0xff) - 1;
    owners[slot] = (byte) left;
    hashes[slot] ^= hash;
    return isOne(left);
  }

  /** Returns 1 for 1 and 0 for any other non-negative number, without an unpredictable branch. */
  private static int isOne(int number) {
    return ((number ^ 1) - 1) >>> 31;
  }

  private long[] assign(int count, int slots, int segment, int firstSlots, int salt) {
    int[] values = queue; // No longer needed, and as long as the slots.
    Arrays.fill(values, 0, slots, 0);
    for (int i = count - 1; i >= 0; i--) {
      long hash = order[i];
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, segment);
      int slot2 = Fuse.slot2(slot0, mixed, segment);
      // orderSlot[i] is one of the three and still zero.
      values[orderSlot[i]] =
          (int) Fuse.fingerprint(mixed) ^ values[slot0] ^ values[slot1] ^ values[slot2];
    }
    return packed(values, slots);
  }

  /** Packs the low bits of the values without gaps. */
  private long[] packed(int[] values, int slots) {
    long[] words = new long[Math.toIntExact(((long) slots * width + 63) >>> 6)];
    long mask = -1L >>> (64 - width);
    int at = 0;
    long word = 0;
    int bits = 0; // how many of the word are filled
    for (int slot = 0; slot < slots; slot++) {
      long value = values[slot] & mask;
      word |= value << bits;
      bits += width;
      if (bits >= 64) {
        words[at++] = word;
        bits -= 64;
        word = value >>> (width - bits);
      }
    }
    if (bits > 0) {
      words[at] = word;
    }
    return words;
  }
}
