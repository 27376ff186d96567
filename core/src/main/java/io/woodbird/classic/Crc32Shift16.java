package io.woodbird.classic;

import java.util.zip.CRC32;

/** Positions from the CRC-32 of the bytes, with its upper half as the second hash. */
final class Crc32Shift16 implements Derivation.OfBytes {
  /*
   * Position i is h1 + i * h2 with h1 = CRC-32 and h2 = h1 >> 16. CRC-32 spreads natural keys
   * better than hashCode does, and keeps a promise of 1 % for a million keys.
   *
   * Where it fails (SchemeFlawsTest measures each):
   * - All positions follow from 32 bits: a million keys at a promised 1e-6 give 4.1e-4.
   * - The positions of a key are within 65,535 * k of each other, and none reaches 2^32 + 65,536 *
   *   k: of the 9,585,058,377 bits for a billion keys at 1 %, 55 % are never set.
   * - With an even number of bits and an even h2, as half of the keys have, all positions are even
   *   or all are odd.
   * - CRC is linear: if d = a ^ b ^ c, byte by byte, then crc(d) = crc(a) ^ crc(b) ^ crc(c). So
   *   anyone can compute keys that collide, without a search.
   * - The number of hashes is truncated, not rounded: 6 at 1 % where 7 are best, none from 50 % on.
   */
  @Override
  public long[] positions(byte[] key, long bits, int hashes) {
    CRC32 crc = new CRC32();
    crc.update(key);
    long h1 = crc.getValue();
    long h2 = h1 >> 16;
    long[] positions = new long[hashes];
    for (int i = 1; i <= hashes; i++) {
      positions[i - 1] = (h1 + i * h2) % bits;
    }
    return positions;
  }

  @Override
  public long bitsFor(long keys, double fpp) {
    return -(long) (keys * Math.log(fpp) / (LN2 * LN2)); // The original's int has 64 bits.
  }

  @Override
  public int hashesFor(long keys, long bits) {
    return (int) (bits * LN2 / keys);
  }

  @Override
  public long maxBits() {
    return Long.MAX_VALUE;
  }
}
