package io.woodbird.layout;

/**
 * The place and the fingerprint of one hash in a growing quotient filter.
 *
 * @param fingerprintBits the bits that a new key keeps beside its place
 */
public record Growing(int fingerprintBits) {
  /*
   * The first bits of a hash choose the place, the next ones are kept as fingerprint. Doubling the
   * table makes the place one bit longer, and each key gives that bit from its fingerprint, as the key
   * itself is not there to be hashed again:
   *
   *   hash        1 0 1 1 0 | 0 1 1 0 1 0 0 1 ...       a place of 5 bits, a fingerprint of 8
   *   doubled     1 0 1 1 0 0 | 1 1 0 1 0 0 1           6 and 7
   *
   * How many bits a fingerprint has left is written in unary behind it: a one, then as many zeros as
   * bits were given. A new key takes fingerprintBits whatever the size, so old keys have shorter ones,
   * but there are fewer of them: after E doublings half of the keys have all their bits, a quarter one
   * less, and so on. Each generation adds the same to the fpp, which is load * 2^-bits * (E / 2 + 1):
   * it grows with the logarithm of the keys, so one that holds up to 2^40 keys costs about four bits a
   * key. A fingerprint without bits is in both halves of a doubling, and matches all that come there;
   * it does not count for the load, or a shard that it fills would double for ever.
   *
   * What is known of a key, its place and its fingerprint, is all that another filter can take over:
   * a key that came at a place of p bits lets pass 2^-(p + fingerprintBits) of all foreign keys in
   * whatever filter it is merged into, in one place or in each of those that its bits leave open. So
   * merging adds the fpp of both, and the payloads that it adds are at most that share of the places.
   *
   * A place is a shard and a quotient in it. A shard doubles until it has 2^13 quotients and splits
   * from then on, so no put moves more than some thousand keys, however large the filter.
   *
   * Dayan, Bercea, Reviriego, Pagh: InfiniFilter, Expanding Filters to Infinity and Beyond (2023).
   */

  /** How many keys the promised fpp holds for, if nothing else is said. */
  public static final long MAX_KEYS = 1L << 40;

  /** The most bits that are kept. */
  public static final int MAX_FINGERPRINT_BITS = 50;

  /** A filter begins with one shard of 2^6 quotients. */
  public static final int FIRST_QUOTIENT_BITS = 6;

  /** A shard with so many quotients splits. */
  public static final int MAX_QUOTIENT_BITS = 13;

  /** Keys per quotient before a shard doubles. */
  public static final double MAX_LOAD = 0.93;

  /** Words per shard in the table of the shards. */
  public static final int ENTRY_WORDS = 4;

  /** Slots of a shard behind its last quotient, where the last runs spill over. */
  private static final int SPILL = 192;

  /** Returns the layout that keeps an fpp up to a number of keys. */
  public static Growing forFpp(long maxKeys, double fpp) {
    int bits = 1;
    while (bits < MAX_FINGERPRINT_BITS && new Growing(bits).fppWhenFull(maxKeys) > fpp) {
      bits++;
    }
    return new Growing(bits);
  }

  /** The fpp just before the doubling after which there would be room for more keys. */
  private double fppWhenFull(long keys) {
    int doublings = placeBits(keys) - FIRST_QUOTIENT_BITS;
    return MAX_LOAD * Math.pow(2, -fingerprintBits) * (doublings / 2.0 + 1);
  }

  /** Returns the fpp to expect when there are so many keys. */
  public double fpp(long keys) {
    // Keys that came since the last doubling have all their bits; the others were its fill.
    int placeBits = placeBits(keys);
    double places = Math.pow(2, placeBits);
    if (placeBits == FIRST_QUOTIENT_BITS) {
      return keys / places * Math.pow(2, -fingerprintBits);
    }
    double before = mostKeys(placeBits - 1);
    double old = fppWhenFull((long) before);
    return old + (keys - before) / places * Math.pow(2, -fingerprintBits);
  }

  /** Returns the bits of a place when there are so many keys, spread evenly. */
  private int placeBits(long keys) {
    int bits = FIRST_QUOTIENT_BITS;
    while (keys > mostKeys(bits)) {
      bits++;
    }
    return bits;
  }

  /** The keys that so many places take before another one makes them double. */
  private double mostKeys(int placeBits) {
    return mostKeysWithBits(placeBits) + keysWithoutBits(placeBits);
  }

  private static double mostKeysWithBits(int placeBits) {
    return Math.ceil(MAX_LOAD * Math.pow(2, placeBits));
  }

  /** The keys that have given away all their bits when places have so many. */
  private double keysWithoutBits(int placeBits) {
    int then = placeBits - fingerprintBits;
    return then < FIRST_QUOTIENT_BITS ? 0 : mostKeys(then);
  }

  /** The bits of a payload: a fingerprint and the one behind it. */
  public int width() {
    return fingerprintBits + 1;
  }

  /** Returns the slots of a shard, whole blocks of 64. */
  public static int slots(int quotientBits) {
    return (1 << quotientBits) + SPILL;
  }

  /**
   * Returns the bits of a filter with so many keys: exact while there is one shard, then to expect.
   */
  public long bits(long keys) {
    int quotientBits = Math.min(placeBits(keys), MAX_QUOTIENT_BITS);
    long words = (long) Quotient.words(slots(quotientBits), width()) + ENTRY_WORDS;
    return 64 * Math.round(words * expectedShards(keys));
  }

  /**
   * The shards to expect. Not all have the same number of keys, so near the number at which they
   * split some have split and others have not.
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

  /** Returns the quotient of a hash in a shard that is chosen by the first bits. */
  public static int quotient(long hash, int shardBits, int quotientBits) {
    return (int) (hash << shardBits >>> (64 - quotientBits));
  }

  /** Returns the payload of a new key behind a place of so many bits. */
  public long payload(long hash, int placeBits) {
    return hash << placeBits >>> (64 - fingerprintBits) << 1 | 1;
  }

  /**
   * Whether a stored payload may be that of a key, given the payload it would have as a new one.
   */
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

  /** Returns the payload of a new key as if only some bits of its fingerprint were known. */
  public long shortened(long payload, int bits) {
    int lost = Math.max(0, fingerprintBits - bits);
    return payload >>> (lost + 1) << (lost + 1) | 1L << lost;
  }

  /** Returns the bit that a payload gives to its place. */
  public int givenBit(long payload) {
    return (int) (payload >>> fingerprintBits) & 1;
  }

  /** Returns what is left of a payload that has given a bit. */
  public long rest(long payload) {
    return payload << 1 & (1L << width()) - 1;
  }

  /** Returns how many foreign keys that come to its quotient a payload lets pass. */
  public double passes(long payload) {
    return Long.lowestOneBit(payload) / (double) (1L << fingerprintBits);
  }

  /** Returns a hash with a place and the bits that are known of it, the others zero. */
  public long hash(long place, int placeBits, long payload) {
    long known = payload ^ Long.lowestOneBit(payload);
    return place << (64 - placeBits) | known >>> 1 << (64 - fingerprintBits) >>> placeBits;
  }
}
