package io.woodbird.layout;

/** The three slots and the fingerprint of one hash in a binary fuse filter. */
public final class Fuse {
  /*
   * Each key owns three slots, in three neighbouring segments. The filter is built so that the xor
   * of the three slots is the key's fingerprint of w bits. For a foreign key the xor matches with
   * probability 2^-w. A question is three independent loads without a branch. In cache nothing is
   * faster; out of cache it is three cache misses. The filter takes 1.125 w bits per key.
   *
   *   segment     i          i + 1       i + 2
   *            ...[ s0 ]... ...[ s1 ]... ...[ s2 ]...     s0 ^ s1 ^ s2 = fingerprint
   *
   * s0 comes from the high bits of the hash and keeps the order of hashes, so a build in that order
   * walks through the slots once. The offsets in the other segments and the fingerprint come from
   * the other bits. If a shard can't be solved so, which is rare, they come from a mix with a salt,
   * and one salt after another is tried.
   *
   * Graf, Lemire: Binary Fuse Filters: Fast and Smaller Than Xor Filters (2022). The sizes are
   * theirs.
   */
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  /** Slots per key from a million keys on. */
  private static final double MANY_SLOTS = 1.125;

  private Fuse() {}

  /** Returns the segment length, a power of two. */
  public static int segmentLength(int keys) {
    if (keys < 2) {
      return 4;
    }
    int log = (int) Math.floor(Math.log(keys) / Math.log(3.33) + 2.25);
    return 1 << Math.min(log, 18); // slot1 and slot2 have 18 bits of the hash each for an offset.
  }

  /** Returns how many slots slot0 ranges over: a multiple of the segment length. */
  public static int firstSlots(int keys, int segmentLength) {
    if (keys == 0) {
      return 0;
    }
    double factor =
        keys < 2 ? 1 : Math.max(MANY_SLOTS, 0.875 + 0.25 * Math.log(1e6) / Math.log(keys));
    long wanted = (long) Math.ceil(keys * factor);
    long segments = Math.max(1, (wanted + segmentLength - 1) / segmentLength - 2);
    return Math.toIntExact(segments * segmentLength);
  }

  /** Returns the number of slots of a shard. */
  public static int slots(int keys) {
    int segmentLength = segmentLength(keys);
    return keys == 0 ? 0 : firstSlots(keys, segmentLength) + 2 * segmentLength;
  }

  /**
   * Returns the expected number of slots of a shard that has {@code keys} keys on average, at least
   * a million.
   */
  static double expectedSlots(double keys) {
    // The hashes decide how many keys a shard has, and slots come in whole segments.
    double deviation = Math.sqrt(keys);
    int segmentLength = segmentLength((int) keys);
    double segments = 0;
    long least = (long) ((keys - 6 * deviation) * MANY_SLOTS / segmentLength);
    long most = (long) ((keys + 6 * deviation) * MANY_SLOTS / segmentLength) + 1;
    for (long full = least; full <= most; full++) {
      segments += NormalTail.above((full * segmentLength / MANY_SLOTS - keys) / deviation);
    }
    return (least + segments) * segmentLength;
  }

  /** Returns the first slot. From salt 4 on it depends on the salt too, as hashes may be uneven. */
  public static int slot0(long hash, int shardBits, int salt, int firstSlots) {
    long inShard = salt < 4 ? hash << shardBits : mixed(hash, ~salt);
    return (int) Reduce.toRange(inShard, firstSlots);
  }

  /** Returns the second slot. */
  public static int slot1(int slot0, long mixed, int segmentLength) {
    return (slot0 + segmentLength) ^ (int) ((mixed >>> 18) & (segmentLength - 1));
  }

  /** Returns the third slot. */
  public static int slot2(int slot0, long mixed, int segmentLength) {
    return (slot0 + 2 * segmentLength) ^ (int) (mixed & (segmentLength - 1));
  }

  /** Returns the fingerprint, of which the low w bits are used. */
  public static long fingerprint(long mixed) {
    return (mixed >>> 32) ^ (mixed >>> 1);
  }

  /** Returns the bits from which offsets and fingerprint are cut. */
  public static long mixed(long hash, int salt) {
    if (salt == 0) {
      return hash;
    }
    long mixed = (hash + salt * GOLDEN) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 32)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 29);
  }
}
