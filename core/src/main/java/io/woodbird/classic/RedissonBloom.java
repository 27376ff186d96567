package io.woodbird.classic;

/** Positions as in Redisson's RBloomFilter, from HighwayHash under a public key. */
final class RedissonBloom implements Derivation.OfBytes {
  /*
   * The hash is good, but the positions made from it are not. The first is h1; then h2 and h1 are
   * added in turn. So with a = h1 and s = h1 + h2 the positions are a, s, a + s, 2s, a + 2s, 3s,
   * ... Every second one depends on s alone, and two keys with the same s (modulo the size) share
   * all of those.
   *
   * Measured (SchemeFlawsTest): a million keys at a promised 1 % give 1.23 %, in a filter of 2^20
   * bits 1.43 %, and a million at a promised 1e-4 give 3.7e-4.
   *
   * The key of the hash is in Redisson's source, so anyone can make keys that collide.
   */
  private static final long[] KEY = {
    0x9e3779b97f4a7c15L, 0xf39cc0605cedc834L, 0x1082276bf3a27251L, 0xf86c6a11d0c18e95L
  };

  @Override
  public long[] positions(byte[] key, long bits, int hashes) {
    Hash128 hash = HighwayHash.hash(key, KEY);
    long x = hash.first();
    long[] positions = new long[hashes];
    for (int i = 0; i < hashes; i++) {
      positions[i] = (x & Long.MAX_VALUE) % bits;
      x += i % 2 == 0 ? hash.second() : hash.first();
    }
    return positions;
  }

  @Override
  public long bitsFor(long keys, double fpp) {
    double log = Math.log(fpp == 0 ? Double.MIN_VALUE : fpp);
    return (long) (-keys * log / (LN2 * LN2));
  }

  @Override
  public int hashesFor(long keys, long bits) {
    return Math.max(1, (int) Math.round((double) bits / keys * LN2));
  }

  @Override
  public long maxBits() {
    return 2L * Integer.MAX_VALUE; // Redis strings end at 512 MB, which is 2 bits more.
  }

  @Override
  public boolean takesZeroAndOne() {
    return true;
  }
}
