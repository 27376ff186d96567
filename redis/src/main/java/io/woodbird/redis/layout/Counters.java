package io.woodbird.redis.layout;

import io.woodbird.layout.BlockedBloom;
import io.woodbird.redis.link.Command;
import java.util.List;

/** Counters of four bits in the place of bits: how they lie in a shard. */
public final class Counters {
  /*
   * The counter of bit b of word w of a block is number 64 w + b of the block's 512, and two lie in a
   * byte, the first in its upper half: as BITFIELD counts.
   */
  public static final byte[] OVERFLOW = Command.bytes("OVERFLOW");
  public static final byte[] SATURATE = Command.bytes("SAT");

  private static final byte[] INCRBY = Command.bytes("INCRBY");
  private static final byte[] U4 = Command.bytes("u4");
  private static final byte[] ONE = Command.bytes("1");

  private Counters() {}

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

  /** Adds the arguments that count a key up; returns how many counters it has. */
  public static int addIncrements(List<byte[]> arguments, long offset, long[] words) {
    int count = 0;
    for (int word = 0; word < BlockedBloom.WORDS; word++) {
      for (long rest = words[word]; rest != 0; rest &= rest - 1) {
        arguments.add(INCRBY);
        arguments.add(U4);
        arguments.add(position(offset, word, Long.numberOfTrailingZeros(rest)));
        arguments.add(ONE);
        count++;
      }
    }
    return count;
  }

  /** The bit of a shard at which a counter begins. */
  public static byte[] position(long offset, int word, int bit) {
    return Command.bytes(8 * offset + 4L * (64L * word + bit));
  }
}
