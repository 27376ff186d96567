package io.woodbird.classic;

/** Positions from up to seven polynomial hashes {@code r = seed * r + c}, one per seed. */
final class PolynomialSeeds implements Derivation.OfText {
  /*
   * Where it fails (SchemeFlawsTest measures each):
   * - All seeds are odd, so the lowest bit of all seven hashes is that of the sum of the chars. The
   *   positions of a key are all even or all odd. Seeds that agree modulo 2^j give positions that
   *   agree modulo 2^j: those of 5, 13, 37 and 61 modulo 8, those of 5 and 37 also modulo 32. That
   *   costs nothing while even and odd keys are equally frequent. Keys in which every char occurs
   *   twice are all even: with room for a promised 1 % they give 16 %.
   * - A short key has low positions: two capital letters reach position 5,580 of 33,554,431.
   * - The size is fixed, 2^25 bits: the fpp exceeds 1 % at 3.5 million keys and 50 % at 11 million.
   * - 1 << n is an int, so larger sizes work up to 1 << 30. 1 << 31 is negative, and 1 << 32 is 1,
   *   a filter of a single bit.
   */
  private static final int[] SEEDS = {5, 7, 11, 13, 31, 37, 61};
  private static final long BITS = 1 << 25;

  @Override
  public long[] positions(String key, long bits, int hashes) {
    long[] positions = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      positions[i] = hash(key, SEEDS[i]) & (bits - 1);
    }
    return positions;
  }

  private static int hash(String key, int seed) {
    int hash = 0;
    for (int i = 0; i < key.length(); i++) {
      hash = seed * hash + key.charAt(i);
    }
    return hash;
  }

  /** Always 2^25: the original has no sizing. */
  @Override
  public long bitsFor(long keys, double fpp) {
    return BITS;
  }

  /** Always 7. */
  @Override
  public int hashesFor(long keys, long bits) {
    return SEEDS.length;
  }

  /** The original's size is an int, and there {@code 1 << 31} is negative, {@code 1 << 32} is 1. */
  @Override
  public long maxBits() {
    return 1 << 30;
  }

  @Override
  public int maxHashes() {
    return SEEDS.length;
  }

  @Override
  public boolean takesBits(long bits) {
    return Long.bitCount(bits) == 1; // Otherwise the mask bits - 1 has gaps.
  }
}
