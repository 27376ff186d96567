package io.woodbird.classic;

/** Positions from Murmur3 by double hashing: the common part of Guava's strategies. */
abstract sealed class GuavaMitz implements Derivation.OfLongs {
  /*
   * Kirsch and Mitzenmacher, "Less hashing, same performance" (2006): position i is h1 + i * h2.
   * Guava keeps its bits in longs and reduces modulo the size of that array, not modulo the size
   * that was asked for: a filter for 9,585 bits has 9,600.
   */

  @Override
  public final long[] positions(byte[] key, long bits, int hashes) {
    return positions(Murmur3.hash(key), arrayBits(bits), hashes);
  }

  abstract long[] positions(Hash128 hash, long arrayBits, int hashes);

  /** The rule from Guava 33.4 on. It differs for very few keys, whose size is mostly rounding. */
  @Override
  public final int hashesFor(long keys, double fpp) {
    return Math.max(1, (int) Math.round(-Math.log(fpp) / LN2));
  }

  @Override
  public final int maxHashes() {
    return 255; // One unsigned byte in the serialized form.
  }

  /** Guava's strategy 0: both hashes have 32 bits. */
  static final class Of32 extends GuavaMitz {
    /*
     * Guava's default up to version 16. Positions have 31 bits, so an array never uses more than
     * its first 2^31 bits (256 MB). Well below that size, keys begin to share all their positions.
     */
    @Override
    long[] positions(Hash128 hash, long arrayBits, int hashes) {
      int h2 = (int) (hash.first() >>> 32);
      return Derivation.intPositions((int) hash.first(), h2, arrayBits, hashes);
    }
  }

  /** Guava's strategy 1: both hashes have 64 bits. */
  static final class Of64 extends GuavaMitz {
    @Override
    long[] positions(Hash128 hash, long arrayBits, int hashes) {
      long x = hash.first();
      long[] positions = new long[hashes];
      for (int i = 0; i < hashes; i++) {
        positions[i] = (x & Long.MAX_VALUE) % arrayBits;
        x += hash.second();
      }
      return positions;
    }
  }
}
