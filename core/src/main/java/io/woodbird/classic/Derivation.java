package io.woodbird.classic;

import java.nio.charset.StandardCharsets;

/**
 * How one well-known filter sizes itself and finds the positions of a key. Arguments are checked.
 */
interface Derivation {
  /** The natural logarithm of 2, as all the originals compute it. */
  double LN2 = Math.log(2);

  /** Returns the positions in the order of the original, duplicates included. */
  long[] positions(String key, long bits, int hashes);

  /** The same for the bytes of a key; where the original hashes text, the bytes are UTF-8. */
  long[] positions(byte[] key, long bits, int hashes);

  /** How many bits the original asks for, its rounding included; 0 if it rounds to nothing. */
  long bitsFor(long keys, double fpp);

  /** How many hashes the original takes at a size, its rounding included. */
  int hashesFor(long keys, long bits);

  /** How many hashes the original takes for an fpp. */
  default int hashesFor(long keys, double fpp) {
    return hashesFor(keys, bitsFor(keys, fpp));
  }

  /** The size of the array that the original makes when it asks for {@code bits}. */
  default long arrayBits(long bits) {
    return bits;
  }

  /** How many of {@code bits} bits any key can set. */
  default long usableBits(long bits) {
    return bits;
  }

  /** A word of the original's array, which may have more bits set than positions name. */
  default long original(long word) {
    return word;
  }

  /** The most bits that the original's types can express. */
  long maxBits();

  /** The most hashes; where the original has no limit, one that no fpp of a double comes near. */
  default int maxHashes() {
    return 1 << 16;
  }

  /** Whether an fpp of 0 and of 1 are requests that the original takes. */
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
}
