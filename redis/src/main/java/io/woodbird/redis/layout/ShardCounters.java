package io.woodbird.redis.layout;

/** Counters of four bits in the place of bits: how they are stored in a shard. */
public final class ShardCounters {
  /*
   * The counter of bit b of word w of a block is number 64 w + b of the block's 512, and two are in a
   * byte, the first in its upper half: as BITFIELD counts.
   */
  private ShardCounters() {}

  /** Returns the bits of a word whose counters are above 0. */
  public static long positive(byte[] block, int word) {
    long bits = 0;
    for (int pair = 0; pair < 32; pair++) {
      int two = block[32 * word + pair];
      bits |= (two & 0xf0) != 0 ? 1L << (2 * pair) : 0;
      bits |= (two & 0x0f) != 0 ? 2L << (2 * pair) : 0;
    }
    return bits;
  }
}
