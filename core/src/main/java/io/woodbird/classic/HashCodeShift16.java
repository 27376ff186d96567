package io.woodbird.classic;

/** Positions from {@code String.hashCode()}, with its upper half as the second hash. */
class HashCodeShift16 implements Derivation.OfText {
  /*
   * Position i is h1 + i * h2 with h1 = hashCode and h2 = h1 >>> 16. All positions follow from 32
   * bits.
   *
   * Where it fails (SchemeFlawsTest measures each):
   * - "AaAa" and "BBBB" have the same hashCode, so the same positions, in a filter of any size.
   *   Texts of n blocks "Aa" or "BB" are 2^n keys with the same positions: strangers must not
   *   choose keys.
   * - Short keys have a small hashCode, and then h2 has few values: 0 or 1 for three letters. All
   *   positions are neighbours. 1,000 three-letter codes at a promised 1 % give 22 %, and 5,000
   *   four-digit numbers 13 %.
   * - A key shares its hashCode with one of n others with probability n / 2^32, so no size gives a
   *   lower fpp, and the small step adds near misses: a million keys at a promised 1e-6 give
   *   4.1e-4, and at a promised 1 %, where 32 bits still suffice, 1.06 %.
   * - The number of hashes is truncated, not rounded: 6 at 1 % where 7 are best, none from 50 % on.
   * - Sizes are ints. From 224 million keys at 1 % on, the filter no longer grows.
   *
   * The article keeps the bits in a long[] and shifts an int. IntShift does the same.
   */
  @Override
  public long[] positions(String key, long bits, int hashes) {
    int h1 = key.hashCode();
    return Derivation.intPositions(h1, h1 >>> 16, bits, hashes);
  }

  @Override
  public long bitsFor(long keys, double fpp) {
    return (int) (-keys * Math.log(fpp) / (LN2 * LN2)); // Java casts 2^31 and more to 2^31 - 1.
  }

  @Override
  public int hashesFor(long keys, long bits) {
    return (int) (bits * LN2 / keys);
  }

  @Override
  public long maxBits() {
    return Integer.MAX_VALUE;
  }

  /** The same with the article's array, where a bit is {@code 1 << (index % 64)}, an int. */
  static final class IntShift extends HashCodeShift16 {
    /*
     * Java shifts an int by the low five bits of the distance, so positions 32 to 63 of a long
     * become positions 0 to 31. 1 << 31 is negative. As a long it sets bits 31 to 63, and the
     * article tests whether any of them is set. So each long has 32 usable bits and 32 copies of
     * its bit 31:
     *
     *   position % 64    0   1  ...  30  31  32  33  ...  62  63
     *   bit              0   1  ...  30  31   0   1  ...  30  31
     *
     * Half of the memory is lost: 13 % where 1 % was promised, and 4.6 % where 0.1 % was promised
     * (SchemeFlawsTest).
     */
    @Override
    public long[] positions(String key, long bits, int hashes) {
      long[] positions = super.positions(key, bits, hashes);
      for (int i = 0; i < hashes; i++) {
        positions[i] &= ~32L;
      }
      return positions;
    }

    @Override
    public long usableBits(long bits) {
      return bits / 64 * 32 + Math.min(bits % 64, 32);
    }

    @Override
    public long original(long word) {
      return (int) word; // Copies bit 31 to the upper half.
    }
  }
}
