package io.woodbird.classic;

import java.nio.charset.StandardCharsets;

/** The sizing and the positions of one well-known filter. The caller has checked the arguments. */
interface Derivation {
  /** The natural logarithm of 2, as all the originals compute it. */
  double LN2 = Math.log(2);

  /** Returns the positions in the order of the original, duplicates included. */
  long[] positions(String key, long bits, int hashes);

  /** Returns the positions for the bytes of a key. If the original hashes text, they are UTF-8. */
  long[] positions(byte[] key, long bits, int hashes);

  /** Returns h1 + i * h2 for i from 1 on, in ints that wrap around as in the originals. */
  static long[] intPositions(int h1, int h2, long bits, int hashes) {
    long[] positions = new long[hashes];
    for (int i = 1; i <= hashes; i++) {
      int x = h1 + i * h2;
      positions[i - 1] = (x < 0 ? ~x : x) % bits;
    }
    return positions;
  }

  /** Returns the bits that the original chooses, rounded as it does; may be 0. */
  long bitsFor(long keys, double fpp);

  /** Returns the hashes that the original chooses for a size, rounded as it does. */
  int hashesFor(long keys, long bits);

  /** Returns the hashes that the original chooses for an fpp. */
  default int hashesFor(long keys, double fpp) {
    return hashesFor(keys, bitsFor(keys, fpp));
  }

  /** Returns the size of the array that the original allocates for {@code bits} bits. */
  default long arrayBits(long bits) {
    return bits;
  }

  /** Returns how many of {@code bits} bits keys can set. */
  default long usableBits(long bits) {
    return bits;
  }

  /** Returns a word of the original's array, which may have more bits set than positions name. */
  default long original(long word) {
    return word;
  }

  /** The most bits that the original's types can express. */
  long maxBits();

  /** The most hashes. If the original has no limit, a number that no fpp of type double needs. */
  default int maxHashes() {
    return 1 << 16;
  }

  /** Whether the original accepts an fpp of 0 and of 1. */
  default boolean takesZeroAndOne() {
    return false;
  }

  /** Whether the original can have an array of this size, given that it is in range. */
  default boolean takesBits(long bits) {
    return true;
  }

  /** A derivation whose original hashes the UTF-16 units of a text. */
  interface OfText extends Derivation {
    @Override
    default long[] positions(byte[] key, long bits, int hashes) {
      return positions(new String(key, StandardCharsets.UTF_8), bits, hashes);
    }
  }

  /** A derivation whose original hashes bytes; a text is its UTF-8 form. */
  interface OfBytes extends Derivation {
    @Override
    default long[] positions(String key, long bits, int hashes) {
      return positions(key.getBytes(StandardCharsets.UTF_8), bits, hashes);
    }
  }

  /** One with the sizes that Guava and Spark choose, which keep the bits in longs. */
  interface OfLongs extends OfBytes {
    @Override
    default long bitsFor(long keys, double fpp) {
      return (long) (-keys * Math.log(fpp) / (LN2 * LN2));
    }

    /** The rule up to Guava 33.3. */
    @Override
    default int hashesFor(long keys, long bits) {
      return Math.max(1, (int) Math.round((double) bits / keys * LN2));
    }

    @Override
    default long arrayBits(long bits) {
      return (bits + 63) / 64 * 64;
    }

    @Override
    default long maxBits() {
      return Integer.MAX_VALUE * 64L;
    }
  }
}
