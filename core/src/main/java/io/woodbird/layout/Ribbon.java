package io.woodbird.layout;

/** The equation that one hash puts into a bumped ribbon filter. */
public final class Ribbon {
  /*
   * The filter is a table S of m slots with b bits each, the solution of one linear equation over
   * GF(2) per key: the slots that the 64 coefficient bits of the key choose, from its start on, xor to
   * its b result bits. Asking evaluates the equation; a key that was not built in fulfils it with
   * probability 2^-b. Coefficients lie in a band of 64 slots, so solving is nearly sequential.
   *
   *   slot    0 1 2 3 4 5 6 7 8 9 ...
   *   key x       1 0 1 1 0 1            start 2, S[2] ^ S[4] ^ S[5] ^ S[7] = result(x)
   *   key y         1 1 0 0 1 1          start 3
   *
   * As many equations as slots can hardly ever be solved, so slots are filled to the brim and what
   * does not fit is bumped to the next, much smaller layer. Slots are grouped in buckets of 128. In
   * each bucket equations go in by descending start; where one can't be solved, those that start
   * before a threshold leave the bucket. The threshold is one of four, so it takes two bits per bucket,
   * and a question looks it up first. Three layers bump; the last has slack and holds all that is
   * left. Measured overhead over n * b bits: 0.84 % at 2 bits, 0.25 % at 8 (FrozenSizeTest), of which two
   * bits per 128 slots are the thresholds.
   *
   * The table is stored in segments of 64 slots, column by column: word j of a segment has bit j of
   * each of its slots. A question reads the same column of two neighbouring segments and takes a
   * parity; two columns on average settle a "not here". The first segments may have one column less
   * than the others, so the size is not bound to whole bits per key; or fewer and a ternary one, a
   * second system of equations over GF(3) with the same coefficients (RibbonColumns says why). A
   * bucket then bumps where either can't be solved.
   *
   * Ternary slots lie after the segments of their layer, five to a byte, 40 to a word:
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

  /** A bumping layer has this many slots per key: too few, on purpose. */
  public static final double LOAD = 0.95;

  /** Below so many keys a layer does not bump. */
  public static final int FEW = 1000;

  /** Starts below the threshold of a bucket, relative to it, are bumped. */
  private static final int THRESHOLDS = 0 | 17 << 8 | 36 << 16 | 128 << 24;

  /** Ternary slots per byte: 3^5 = 243 is little less than 256. */
  public static final int TERNARY_PER_BYTE = 5;

  /** Ternary slots per word. */
  public static final int TERNARY_PER_WORD = 8 * TERNARY_PER_BYTE;

  private static final long GOLDEN = 0x9e3779b97f4a7c15L;
  private static final long SILVER = 0xc2b2ae3d27d4eb4fL;

  private Ribbon() {}

  /** Returns the first slot of a bucket that is not bumped, for a two-bit code. */
  public static int threshold(int code) {
    return THRESHOLDS >>> (8 * code) & 0xff;
  }

  /** Returns the hash that counts in layer 0; it keeps the order of the hashes of a shard. */
  public static long inFirstLayer(long hash, int shardBits) {
    return hash << shardBits;
  }

  /** Returns the hash that counts in the layer after one; the salt is 0 but in the last layer. */
  public static long inNextLayer(long inLayer, int salt) {
    return mix(inLayer + GOLDEN + ((long) salt << 32));
  }

  /** Returns the first slot of an equation, from 0 to slots - 64. */
  public static int start(long inLayer, int slots) {
    return (int) Reduce.toRange(inLayer, slots - SEGMENT + 1);
  }

  /** Returns the bits that choose coefficients and result. */
  public static long bits(long inLayer) {
    return mix(inLayer ^ GOLDEN);
  }

  /** Returns the coefficients: bit i stands for slot start + i, and bit 0 is set. */
  public static long coefficients(long bits) {
    return bits | 1;
  }

  /** Returns the result, of which the first b bits count. */
  public static int result(long bits) {
    return (int) ((bits * GOLDEN) >>> 32);
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
   * @param fewer so many
   */
  public static long segmentAt(long segment, int columns, int first, int fewer) {
    return segment * columns - Math.min(segment, first) * fewer;
  }

  /** Returns how many buckets a bumping layer has for so many keys; none if they are few. */
  public static int buckets(int keys) {
    return keys < FEW ? 0 : (int) (keys * LOAD / BUCKET);
  }

  /** Returns the least number of segments that a last layer has for so many keys. */
  public static int lastSegments(int keys) {
    return keys == 0 ? 0 : (int) Math.ceil((keys * 1.03 + 16) / SEGMENT);
  }

  /** Returns how many segments take ternary equations, if a share is to have ternary slots. */
  public static int ternarySegments(int segments, double share) {
    // Some more than that, as only later it is known how many; and whole buckets.
    double enough = share == 0 ? 0 : share * segments * 1.01 + 16;
    return (int) Math.min(segments, Math.ceil(enough / 2) * 2);
  }

  /** Returns how many ternary slots there are for equations that start in the first segments. */
  public static int ternarySlots(int first, int segments) {
    // A band reaches into the next segment, all but its last slot.
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
