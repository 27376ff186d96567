package io.woodbird.classic;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Positions from 32-bit Murmur3 by double hashing: the filters of Apache Spark. */
abstract sealed class SparkMitz implements Derivation.OfLongs {
  /*
   * Both hashes have 32 bits: h1 under the seed, and h2 under h1. Version 1 adds ints, so positions
   * have 31 bits, and an array never uses more than its first 2^31 bits. Version 2 (Spark 4.1) adds
   * longs, and has a seed.
   *
   * Sizes are Guava's. The hash of the bytes is not the usual Murmur3: each of the last one to three
   * bytes is mixed as a signed int of its own.
   */
  private final int seed;

  private SparkMitz(int seed) {
    this.seed = seed;
  }

  final int seed() {
    return seed;
  }

  @Override
  public final long[] positions(byte[] key, long bits, int hashes) {
    int h1 = hash(key, seed);
    return positions(h1, hash(key, h1), arrayBits(bits), hashes);
  }

  abstract long[] positions(int h1, int h2, long arrayBits, int hashes);

  private static int hash(byte[] key, int seed) {
    ByteBuffer bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    int h = seed;
    while (bytes.remaining() >= 4) {
      h = mix(h, bytes.getInt());
    }
    while (bytes.hasRemaining()) {
      h = mix(h, bytes.get());
    }
    h ^= key.length;
    h = (h ^ h >>> 16) * 0x85ebca6b;
    h = (h ^ h >>> 13) * 0xc2b2ae35;
    return h ^ h >>> 16;
  }

  private static int mix(int h, int k) {
    int mixed = h ^ Integer.rotateLeft(k * 0xcc9e2d51, 15) * 0x1b873593;
    return Integer.rotateLeft(mixed, 13) * 5 + 0xe6546b64;
  }

  /** Version 1: sums of ints, without a seed. */
  static final class Of32 extends SparkMitz {
    Of32() {
      super(0);
    }

    @Override
    long[] positions(int h1, int h2, long arrayBits, int hashes) {
      return Derivation.intPositions(h1, h2, arrayBits, hashes);
    }
  }

  /** Version 2: sums of longs, with a seed. */
  static final class Of64 extends SparkMitz {
    Of64(int seed) {
      super(seed);
    }

    @Override
    long[] positions(int h1, int h2, long arrayBits, int hashes) {
      long x = (long) h1 * Integer.MAX_VALUE;
      long[] positions = new long[hashes];
      for (int i = 0; i < hashes; i++) {
        x += h2;
        positions[i] = (x < 0 ? ~x : x) % arrayBits;
      }
      return positions;
    }
  }
}
