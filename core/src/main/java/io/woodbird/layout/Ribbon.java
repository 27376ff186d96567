package io.woodbird.layout;

/** The equation that one hash puts into a bumped ribbon filter. */
public final class Ribbon {
  /*
   * The filter is a table S of m slots with b bits each. It solves one linear equation over GF(2)
   * per key: the xor of the slots that the key's 64 coefficient bits choose, from its start on,
   * equals its b result bits. A question evaluates the equation. A foreign key fulfils it with
   * probability 2^-b. All coefficients of a key are in a band of 64 slots, so solving is nearly
   * sequential.
   *
   *   slot    0 1 2 3 4 5 6 7 8 9 ...
   *   key x       1 0 1 1 0 1            start 2, S[2] ^ S[4] ^ S[5] ^ S[7] = result(x)
   *   key y         1 1 0 0 1 1          start 3
   *
   * A system with as many equations as slots can hardly ever be solved. So a layer has fewer slots
   * than keys, and the keys that do not fit are bumped to the next, much smaller layer. Slots are
   * grouped in buckets of 128. In each bucket equations are added by descending start. When one
   * contradicts the others, all equations that start before a threshold leave the bucket. The
   * threshold is one of four, so it takes two bits per bucket, and a question looks it up first.
   * Three layers bump. The last layer has more slots than keys and holds all keys that are left.
   * Measured overhead over n * b bits: 0.84 % at 2 bits, 0.25 % at 8 (FrozenSizeTest); the
   * thresholds are two bits per 128 slots of it.
   *
   * The table is stored in segments of 64 slots, column by column: word j of a segment has bit j of
   * each of its slots. A question reads the same column of two neighbouring segments and takes a
   * parity. On average two columns settle a "not here". The first segments may have one column less
   * than the others, so that the size need not be a whole number of bits per key. Or they have
   * fewer columns and a ternary one: a second system of equations over GF(3) with the same
   * coefficients (RibbonColumns says why). A bucket then bumps when either system can't be solved.
   *
   * Ternary slots follow the segments of their layer, five to a byte, 40 to a word:
   *
   *   layer   [ thresholds | segments | ternary slots ]
   *
   * Dillinger, Huebschle-Schneider, Sanders, Walzer: Fast Succinct Retrieval and Approximate
   * Membership using Ribbon (2021).
   */

  /** Slots per segment, and the width of the band. */
  public static final int SEGMENT = 64;

  /** Slots per bucket. */
  public static final int BUCKET = 128;

  /** Layers, the last of which bumps nothing. */
  public static final int LAYERS = 4;

  /** The slots per key of a bumping layer: fewer than one, so that nearly all slots are used. */
  public static final double LOAD = 0.95;

  /** With fewer keys a bumping layer is left out. */
  public static final int FEW = 1000;

  /** The four thresholds, a byte each. A bucket bumps the keys that start below its threshold. */
  private static final int THRESHOLDS = 0 | 17 << 8 | 36 << 16 | 128 << 24;

  /** Ternary slots per byte: 3^5 = 243 fits into 256. */
  public static final int TERNARY_PER_BYTE = 5;

  /** Ternary slots per word. */
  public static final int TERNARY_PER_WORD = 8 * TERNARY_PER_BYTE;

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final long SILVER = 0xc2b2ae3d27d4eb4fL;

  private Ribbon() {}

  /** Returns the threshold of a two-bit code: the first start in a bucket that is not bumped. */
  public static int threshold(int code) {
    return THRESHOLDS >>> (8 * code) & 0xff;
  }

  /** Returns the hash that layer 0 uses; it keeps the order of the hashes of a shard. */
  public static long inFirstLayer(long hash, int shardBits) {
    return hash << shardBits;
  }

  /** Returns the hash that the next layer uses; the salt is 0 except for the last layer. */
  public static long inNextLayer(long inLayer, int salt) {
    return mix(inLayer + GOLDEN + ((long) salt << 32));
  }

  /** Returns the first slot of an equation, from 0 to slots - 64. */
  public static int start(long inLayer, int slots) {
    return (int) Reduce.toRange(inLayer, slots - SEGMENT + 1);
  }

  /** Returns the bits from which coefficients and result are made. */
  public static long bits(long inLayer) {
    return mix(inLayer ^ GOLDEN);
  }

  /** Returns the coefficients: bit i stands for slot start + i, and bit 0 is set. */
  public static long coefficients(long bits) {
    return bits | 1;
  }

  /** Returns the result, of which the lowest b bits are used. */
  public static int result(long bits) {
    return (int) ((bits * GOLDEN) >>> 32);
  }

  /**
   * Returns what the value of a map is xored with before it is stored. So the slots are random
   * whatever the values are, and a word of zeros means that something is wrong.
   */
  public static long valueMask(long bits) {
    return mix(bits ^ SILVER);
  }

  /** Returns the hash that the second level of an exact filter uses in its layer 0. */
  public static long inSecondLevel(long inFirstLayer) {
    return inNextLayer(inFirstLayer, -1); // No layer has this salt.
  }

  /** Returns the ternary result: 0, 1 or 2. */
  public static int ternaryResult(long bits) {
    return (int) ((((bits * SILVER) >>> 32) * 3) >>> 32);
  }

  /**
   * Returns where a segment begins in its layer, in words.
   *
   * @param columns of a segment
   * @param first how many segments at the beginning have fewer columns
   * @param fewer how many columns these segments lack
   */
  public static long segmentAt(long segment, int columns, int first, int fewer) {
    return segment * columns - Math.min(segment, first) * fewer;
  }

  /** Returns how many buckets a bumping layer has for {@code keys} keys; none if they are few. */
  public static int buckets(int keys) {
    return keys < FEW ? 0 : (int) (keys * LOAD / BUCKET);
  }

  /** Returns the fewest segments of a last layer with {@code keys} keys: 3 % and 16 slots more. */
  public static int lastSegments(int keys) {
    return keys == 0 ? 0 : (int) Math.ceil((keys * 1.03 + 16) / SEGMENT);
  }

  /** Returns how many segments get ternary equations if a share will have ternary slots. */
  public static int ternarySegments(int segments, double share) {
    // 1 % and 16 more, as the exact number is settled later; rounded up to whole buckets.
    double enough = share == 0 ? 0 : share * segments * 1.01 + 16;
    return (int) Math.min(segments, Math.ceil(enough / 2) * 2);
  }

  /** Returns how many ternary slots the equations that start in the first segments use. */
  public static int ternarySlots(int first, int segments) {
    // A band that starts in a segment uses the next one too, except its last slot.
    return first == 0 ? 0 : Math.min(first * SEGMENT + SEGMENT - 1, segments * SEGMENT);
  }

  /** Returns how many words these slots take. */
  public static int ternaryWords(int first, int segments) {
    return (ternarySlots(first, segments) + TERNARY_PER_WORD - 1) / TERNARY_PER_WORD;
  }

  /** Returns how many words the thresholds of a layer take: 2 bits per 128 slots. */
  public static int thresholdWords(int segments) {
    return (segments + 63) >>> 6;
  }

  private static long mix(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
