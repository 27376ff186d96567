package io.woodbird.classic;

/** Positions from the string hashes DJB2 and SDBM, both computed with seed i for position i. */
final class Djb2Sdbm implements Derivation.OfText {
  /*
   * Position i is DJB2(seed i) + i * SDBM(seed i).
   *
   * Where it fails (SchemeFlawsTest measures each):
   * - The lowest bit of either hash is a sum of the lowest bits of the chars. So in a filter with
   *   an even number of bits, the positions with odd i are even for keys of even length and odd for
   *   the others. Keys of one length, such as UUIDs, then have half of their positions in half of
   *   the bits. 100,000 such keys at a promised 1 % give 2.5 %; with one bit more it is 1.0 %. A
   *   million at a promised 0.1 % give 0.66 %. Whether the size is even is luck.
   * - A key is read 2k times, k being the number of hashes.
   * - The number of hashes is rounded up: 4 at 10 % where 3 give a lower fpp, and 2 at 50 %.
   */
  @Override
  public long[] positions(String key, long bits, int hashes) {
    long[] positions = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      long h1 = djb2(key, i) & 0xffffffffL;
      long h2 = sdbm(key, i) & 0xffffffffL;
      positions[i] = (h1 + i * h2) % bits; // Below 2^49, so it can't overflow.
    }
    return positions;
  }

  private static int djb2(String key, int seed) {
    int hash = 5381 + seed;
    for (int i = 0; i < key.length(); i++) {
      hash = hash * 33 ^ key.charAt(i);
    }
    return hash;
  }

  private static int sdbm(String key, int seed) {
    int hash = 0;
    for (int i = 0; i < key.length(); i++) {
      hash = key.charAt(i) + (hash << 6) + (hash << 16) - hash + seed;
    }
    return hash;
  }

  @Override
  public long bitsFor(long keys, double fpp) {
    return (long) Math.ceil(-keys * Math.log(fpp) / (LN2 * LN2));
  }

  @Override
  public int hashesFor(long keys, long bits) {
    return (int) Math.ceil((double) bits / keys * LN2);
  }

  @Override
  public long maxBits() {
    return (1L << 53) - 1; // The largest integer of the original's number type, a double.
  }
}
