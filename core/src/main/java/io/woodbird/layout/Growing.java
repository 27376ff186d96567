package io.woodbird.layout;

/**
 * The place of one hash in a growing quotient filter, and the fingerprint that is stored for a new
 * key.
 */
public record Growing(int fingerprintBits) {
  /*
   * The first bits of a hash choose the place, the next bits are stored as fingerprint. When the
   * table doubles, a place gets one bit longer. This bit is taken from the fingerprint of each key,
   * as the key itself is not stored and can't be hashed again:
   *
   *   hash        1 0 1 1 0 | 0 1 1 0 1 0 0 1 ...       a place of 5 bits, a fingerprint of 8
   *   doubled     1 0 1 1 0 0 | 1 1 0 1 0 0 1           6 and 7
   *
   * The length of a fingerprint is written in unary behind it: a one, then a zero for each bit that
   * was taken. A new key stores fingerprintBits bits at any size of the table, so old keys have
   * shorter fingerprints. But there are fewer old keys: after E doublings half of the keys have all
   * their bits, a quarter has one bit less, and so on. Each of these groups adds the same to the
   * fpp, which is load * 2^-bits * (E / 2 + 1). The fpp grows with the logarithm of the keys, so
   * room for up to 2^40 keys costs about four bits a key. A fingerprint without bits is stored in
   * both halves of a doubling and matches every hash there. It does not count for the load, or a
   * shard full of them would double without end.
   *
   * Merging can only use what is known of a key: its place and its fingerprint. A key that was put
   * at a place of p bits lets 2^-(p + fingerprintBits) of all foreign keys pass, in any filter that
   * it is merged into. If its bits leave several places open, it is stored in each of them. So the
   * fpp after a merge is the sum of both, and the payloads that it adds are at most that share of
   * the places.
   *
   * A place is a shard and a quotient in it. A shard doubles until it has 2^13 quotients; after
   * that it splits. So no put moves more than some thousand keys, however large the filter.
   *
   * Dayan, Bercea, Reviriego, Pagh: InfiniFilter, Expanding Filters to Infinity and Beyond (2023).
   */

  /** Up to how many keys the promised fpp holds by default. */
  public static final long MAX_KEYS = 1L << 40;

  /** The most bits of a fingerprint. */
  public static final int MAX_FINGERPRINT_BITS = 50;

  /** A filter begins with one shard of 2^6 quotients. */
  public static final int FIRST_QUOTIENT_BITS = 6;

  /** A shard with 2^13 quotients splits instead of doubling. */
  public static final int MAX_QUOTIENT_BITS = 13;

  /** Keys per quotient at which a shard doubles; beyond it clusters get long. */
  public static final double MAX_LOAD = 0.93;

  /** Words of a shard's entry in the shard table. */
  public static final int ENTRY_WORDS = 4;

  /** Slots of a shard behind its last quotient, for the runs of the last quotients. */
  private static final int SPILL = 192;

  /** Returns the layout whose fpp is at most {@code fpp} up to {@code maxKeys} keys. */
  public static Growing forFpp(long maxKeys, double fpp) {
    int bits = 1;
    while (bits < MAX_FINGERPRINT_BITS && new Growing(bits).fppWhenFull(maxKeys) > fpp) {
      bits++;
    }
    return new Growing(bits);
  }

  /** Returns the fpp just before the next doubling. */
  private double fppWhenFull(long keys) {
    int doublings = placeBits(keys) - FIRST_QUOTIENT_BITS;
    return MAX_LOAD * Math.pow(2, -fingerprintBits) * (doublings / 2.0 + 1);
  }

  /** Returns the expected fpp with {@code keys} keys. */
  public double fpp(long keys) {
    // Keys put since the last doubling have all their bits. The others filled the table then.
    int placeBits = placeBits(keys);
    double places = Math.pow(2, placeBits);
    if (placeBits == FIRST_QUOTIENT_BITS) {
      return keys / places * Math.pow(2, -fingerprintBits);
    }
    double before = mostKeys(placeBits - 1);
    double old = fppWhenFull((long) before);
    return old + (keys - before) / places * Math.pow(2, -fingerprintBits);
  }

  /** Returns the bits of a place with {@code keys} keys that are spread evenly. */
  private int placeBits(long keys) {
    int bits = FIRST_QUOTIENT_BITS;
    while (keys > mostKeys(bits)) {
      bits++;
    }
    return bits;
  }

  /** Returns the most keys before the places double. */
  private double mostKeys(int placeBits) {
    return mostKeysWithBits(placeBits) + keysWithoutBits(placeBits);
  }

  private static double mostKeysWithBits(int placeBits) {
    return Math.ceil(MAX_LOAD * Math.pow(2, placeBits));
  }

  /** Returns how many keys have no bits left when places have {@code placeBits} bits. */
  private double keysWithoutBits(int placeBits) {
    int then = placeBits - fingerprintBits;
    return then < FIRST_QUOTIENT_BITS ? 0 : mostKeys(then);
  }

  /** The bits of a payload: the fingerprint, and one more for its unary length. */
  public int width() {
    return fingerprintBits + 1;
  }

  /** Returns the slots of a shard, a multiple of 64. */
  public static int slots(int quotientBits) {
    return (1 << quotientBits) + SPILL;
  }

  /** Returns the bits of a filter: exact while there is one shard, then the expected number. */
  public long bits(long keys) {
    int quotientBits = Math.min(placeBits(keys), MAX_QUOTIENT_BITS);
    long words = (long) Quotient.words(slots(quotientBits), width()) + ENTRY_WORDS;
    return 64 * Math.round(words * expectedShards(keys));
  }

  /**
   * Returns the expected number of shards. Shards differ in their number of keys, so near the load
   * at which they split some have split and others have not.
   */
  private double expectedShards(long keys) {
    double shards = 1;
    double most = mostKeysWithBits(MAX_QUOTIENT_BITS);
    for (int shardBits = 0; keys > 0.5 * most * Math.pow(2, shardBits); shardBits++) {
      double count = Math.pow(2, shardBits);
      double withBits = keys - keysWithoutBits(shardBits + MAX_QUOTIENT_BITS);
      double mean = Math.max(0, withBits) / count;
      double deviation = Math.sqrt(mean * (1 - 1 / count));
      double split =
          deviation == 0
              ? (mean > most ? 1 : 0)
              : NormalTail.above((most + 0.5 - mean) / deviation);
      shards += count * split;
    }
    return shards;
  }

  /** Returns the quotient of a hash in a shard that the first {@code shardBits} bits choose. */
  public static int quotient(long hash, int shardBits, int quotientBits) {
    return (int) (hash << shardBits >>> (64 - quotientBits));
  }

  /** Returns the payload of a new key whose place has {@code placeBits} bits. */
  public long payload(long hash, int placeBits) {
    return hash << placeBits >>> (64 - fingerprintBits) << 1 | 1;
  }

  /** Whether a stored payload may be that of a key whose payload as a new key is {@code asNew}. */
  public static boolean matches(long stored, long asNew) {
    return ((stored ^ asNew) & -(Long.lowestOneBit(stored) << 1)) == 0;
  }

  /** Whether a payload has no bits left. */
  public boolean isEmpty(long payload) {
    return payload == 1L << fingerprintBits;
  }

  /** Returns how many bits of its fingerprint a payload still has. */
  public int bitsLeft(long payload) {
    return fingerprintBits - Long.numberOfTrailingZeros(payload);
  }

  /** Returns the payload of a new key of whose fingerprint only the first bits are known. */
  public long shortened(long payload, int bits) {
    int lost = Math.max(0, fingerprintBits - bits);
    return payload >>> (lost + 1) << (lost + 1) | 1L << lost;
  }

  /** Returns the bit of a payload that moves to its place when the table doubles. */
  public int givenBit(long payload) {
    return (int) (payload >>> fingerprintBits) & 1;
  }

  /** Returns a payload without the bit that moved to its place. */
  public long rest(long payload) {
    return payload << 1 & (1L << width()) - 1;
  }

  /** Returns the share of foreign keys with the same quotient that match a payload. */
  public double passes(long payload) {
    return Long.lowestOneBit(payload) / (double) (1L << fingerprintBits);
  }

  /** Returns a hash with a place and the known bits of a payload; its other bits are zero. */
  public long hash(long place, int placeBits, long payload) {
    long known = payload ^ Long.lowestOneBit(payload);
    return place << (64 - placeBits) | known >>> 1 << (64 - fingerprintBits) >>> placeBits;
  }
}
