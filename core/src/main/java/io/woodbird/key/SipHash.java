package io.woodbird.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** SipHash-1-3: a keyed 64-bit hash. Nobody can make collisions without the 128-bit key. */
final class SipHash {
  /*
   * One round per eight bytes and three at the end, the variant that Rust's and Python's hash
   * tables use. The state is four longs in local variables, so a call allocates nothing, compiled
   * or not. The price is that the round is written three times, as a Java method can't return four
   * longs. A State object with a round() is as fast. But in runs where C2 chose not to inline it,
   * every hash allocated 48 bytes (seen by AllocationTest).
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long V0 = 0x736f6d6570736575L;
  private static final long V1 = 0x646f72616e646f6dL;
  private static final long V2 = 0x6c7967656e657261L;
  private static final long V3 = 0x7465646279746573L;

  private SipHash() {}

  /** Returns the hash of {@code length} bytes from {@code offset} on, under the key (k0, k1). */
  static long hash(byte[] bytes, int offset, int length, long k0, long k1) {
    long v0 = k0 ^ V0;
    long v1 = k1 ^ V1;
    long v2 = k0 ^ V2;
    long v3 = k1 ^ V3;
    int end = offset + (length & -8);
    int index = offset;
    for (; index < end; index += 8) {
      long word = (long) LONGS.get(bytes, index);
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    long last = (long) length << 56;
    for (int shift = 0; index < offset + length; index++, shift += 8) {
      last |= (bytes[index] & 0xffL) << shift;
    }
    return finish(v0, v1, v2, v3, last);
  }

  /** Returns the hash of the eight bytes of a little-endian long. */
  static long hash8(long value, long k0, long k1) {
    return hashLongs(value, 0, 1, k0, k1);
  }

  /** Returns the hash of the sixteen bytes of two little-endian longs. */
  static long hash16(long first, long second, long k0, long k1) {
    return hashLongs(first, second, 2, k0, k1);
  }

  private static long hashLongs(long first, long second, int count, long k0, long k1) {
    long v0 = k0 ^ V0;
    long v1 = k1 ^ V1;
    long v2 = k0 ^ V2;
    long v3 = k1 ^ V3;
    for (int i = 0; i < count; i++) {
      long word = i == 0 ? first : second;
      v3 ^= word;
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    return finish(v0, v1, v2, v3, (8L * count) << 56);
  }

  /** Absorbs the last word, which holds the length, and does the three final rounds. */
  private static long finish(long s0, long s1, long s2, long s3, long last) {
    long v0 = s0;
    long v1 = s1;
    long v2 = s2;
    long v3 = s3 ^ last;
    for (int round = 0; round < 4; round++) {
      v0 += v1;
      v2 += v3;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 = Long.rotateLeft(v2, 32);
      if (round == 0) {
        v0 ^= last;
        v2 ^= 0xff;
      }
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }
}
