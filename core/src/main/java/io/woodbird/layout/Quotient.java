package io.woodbird.layout;

/**
 * The shard, the quotient and the remainder of one hash in a quotient filter.
 *
 * @param shardBits the number of leading bits of a hash that choose the shard
 * @param quotients the number of quotients of a shard
 * @param remainderBits the bits of a remainder, which is what is stored
 */
public record Quotient(int shardBits, int quotients, int remainderBits) {
  /*
   * hash * quotients is a product of 128 bits. Its high half is the quotient, and the first bits of
   * its low half are the remainder. Together they stand for the first bits of the hash, for any
   * number of quotients and not only powers of two. A key that was never put finds its remainder
   * among those of its quotient with probability load * 2^-remainderBits.
   *
   * Bits per key: (remainderBits + 2.125) / load. The load is at most 93 %, as clusters get long
   * beyond it. A shard has at most about 65,536 keys and a lock of its own.
   */
  private static final double MAX_LOAD = 0.93;

  private static final int SHARD_KEYS_LOG = 16;

  /** Slots of a shard behind its last quotient, for the runs of the last quotients. */
  private static final int SPILL = 192;

  /** The most bits of a remainder. */
  public static final int MAX_REMAINDER_BITS = 40;

  /** Returns the smallest layout for a number of keys at an fpp. */
  public static Quotient forFpp(long keys, double fpp) {
    int shardBits = 0;
    while (keys >>> shardBits > 1 << SHARD_KEYS_LOG) {
      shardBits++;
    }
    int best = 1;
    for (int bits = 2; bits <= MAX_REMAINDER_BITS; bits++) {
      if (bitsPerKey(bits, fpp) < bitsPerKey(best, fpp)) {
        best = bits;
      }
    }
    double perShard = (double) keys / (1L << shardBits);
    int quotients = (int) Math.ceil(perShard / load(best, fpp));
    return new Quotient(shardBits, Math.max(1, quotients), best);
  }

  private static double load(int remainderBits, double fpp) {
    return Math.min(MAX_LOAD, fpp * Math.pow(2, remainderBits));
  }

  private static double bitsPerKey(int remainderBits, double fpp) {
    return (remainderBits + 2.125) / load(remainderBits, fpp);
  }

  /** The number of shards. */
  public int shards() {
    return 1 << shardBits;
  }

  /** The slots of a shard, a multiple of 64. */
  public int slots() {
    return (quotients + SPILL + 63) / 64 * 64;
  }

  /** The words of a shard: two bits and a remainder per slot, a byte per 64 slots, and a count. */
  public int words() {
    return words(slots(), remainderBits);
  }

  /**
   * Returns the words of a shard with {@code slots} slots of {@code width} bits. There is one word
   * more than needed, so that a payload can always be read as two words.
   */
  public static int words(int slots, int width) {
    int blocks = slots >>> 6;
    return 2 * blocks + (blocks + 7) / 8 + Math.toIntExact((long) slots * width / 64 + 1) + 1;
  }

  /** The bits of all shards. */
  public long bitCount() {
    return (64L * words()) << shardBits;
  }

  /** Returns the shard of a hash. */
  public int shard(long hash) {
    // In two steps, as Java ignores a shift by 64, and with one shard there are no shard bits.
    return (int) (hash >>> 1 >>> (63 - shardBits));
  }

  /** Returns the hash without its shard bits, for {@link #quotient} and {@link #remainder}. */
  public long inShard(long hash) {
    return hash << shardBits & -2;
  }

  /** Returns the quotient, from 0 to quotients - 1. */
  public int quotient(long inShard) {
    return (int) Reduce.toRange(inShard, quotients);
  }

  /** Returns the remainder. */
  public long remainder(long inShard) {
    return (inShard * quotients) >>> (64 - remainderBits);
  }

  /** Returns the expected fpp with {@code keys} keys. */
  public double fpp(double keys) {
    double load = keys / ((double) quotients * (1L << shardBits));
    return Math.min(1, -Math.expm1(-load * Math.pow(2, -remainderBits)));
  }
}
