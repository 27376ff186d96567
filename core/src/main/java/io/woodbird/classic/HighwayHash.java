package io.woodbird.classic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/** HighwayHash of 128 bits: a hash of bytes under a 256-bit key. */
final class HighwayHash {
  /*
   * Alakuijala, Cox and Wassenberg, "Fast keyed hash/pseudo-random function using SIMD multiply and
   * permute" (2016). The state is four vectors of four 64-bit lanes, which C++ keeps in registers;
   * here it is 16 longs in arrays. A packet is 32 bytes.
   *
   *   v1 += mul0 + packet;   mul0 ^= low32(v1) * high32(v0)
   *   v0 += mul1;            mul1 ^= low32(v0) * high32(v1)
   *   v0 += zipper(v1);      v1 += zipper(v0)
   *
   * "zipper" interleaves the bytes of two lanes, so that the well-mixed middle bytes of a product
   * move to where the next product needs them.
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int LANES = 4;
  private static final int PACKET = 32;
  private static final int FINAL_ROUNDS = 6; // For 128 bits; it is 4 for 64 bits and 10 for 256.

  private final long[] v0 = new long[LANES];
  private final long[] v1 = new long[LANES];
  private final long[] mul0 = {
    0xdbe6d5d5fe4cce2fL, 0xa4093822299f31d0L, 0x13198a2e03707344L, 0x243f6a8885a308d3L
  };
  private final long[] mul1 = {
    0x3bd39e10cb0ef593L, 0xc0acf169b5f18a8cL, 0xbe5466cf34e90c6cL, 0x452821e638d01377L
  };

  private HighwayHash(long[] key) {
    for (int i = 0; i < LANES; i++) {
      v0[i] = mul0[i] ^ key[i];
      v1[i] = mul1[i] ^ Long.rotateLeft(key[i], 32);
    }
  }

  /** Returns the hash of the bytes under a key of four longs. */
  static Hash128 hash(byte[] bytes, long[] key) {
    HighwayHash state = new HighwayHash(key);
    int end = bytes.length & -PACKET;
    for (int i = 0; i < end; i += PACKET) {
      state.absorb(bytes, i);
    }
    if (end < bytes.length) {
      state.absorbRest(Arrays.copyOfRange(bytes, end, bytes.length));
    }
    return state.finish();
  }

  private void absorb(byte[] bytes, int from) {
    update(
        (long) LONGS.get(bytes, from),
        (long) LONGS.get(bytes, from + 8),
        (long) LONGS.get(bytes, from + 16),
        (long) LONGS.get(bytes, from + 24));
  }

  /** Absorbs the last 1 to 31 bytes. */
  private void absorbRest(byte[] rest) {
    int length = rest.length;
    for (int i = 0; i < LANES; i++) {
      v0[i] += ((long) length << 32) + length;
      int low = Integer.rotateLeft((int) v1[i], length);
      int high = Integer.rotateLeft((int) (v1[i] >>> 32), length);
      v1[i] = (long) high << 32 | (low & 0xffffffffL);
    }
    byte[] packet = new byte[PACKET];
    int whole = length & -4;
    int odd = length & 3;
    System.arraycopy(rest, 0, packet, 0, whole);
    if (length >= 16) {
      // The last four bytes, some of which may be in the packet already.
      System.arraycopy(rest, length - 4, packet, 28, 4);
    } else if (odd != 0) {
      packet[16] = rest[whole];
      packet[17] = rest[whole + (odd >> 1)];
      packet[18] = rest[length - 1];
    }
    absorb(packet, 0);
  }

  private void update(long a, long b, long c, long d) {
    v1[0] += mul0[0] + a;
    v1[1] += mul0[1] + b;
    v1[2] += mul0[2] + c;
    v1[3] += mul0[3] + d;
    for (int i = 0; i < LANES; i++) {
      mul0[i] ^= (v1[i] & 0xffffffffL) * (v0[i] >>> 32);
      v0[i] += mul1[i];
      mul1[i] ^= (v0[i] & 0xffffffffL) * (v1[i] >>> 32);
    }
    zip(v1, v0);
    zip(v0, v1);
  }

  private static void zip(long[] from, long[] to) {
    for (int i = 0; i < LANES; i += 2) {
      to[i] += zipEven(from[i + 1], from[i]);
      to[i + 1] += zipOdd(from[i + 1], from[i]);
    }
  }

  private static long zipEven(long high, long low) {
    return ((low & 0xff000000L) | (high & 0xff00000000L)) >>> 24
        | ((low & 0xff0000000000L) | (high & 0xff000000000000L)) >>> 16
        | (low & 0xff0000L)
        | (low & 0xff00L) << 32
        | (high & 0xff00000000000000L) >>> 8
        | low << 56;
  }

  private static long zipOdd(long high, long low) {
    return ((high & 0xff000000L) | (low & 0xff00000000L)) >>> 24
        | (high & 0xff0000L)
        | (high & 0xff0000000000L) >>> 16
        | (high & 0xff00L) << 24
        | (low & 0xff000000000000L) >>> 8
        | (high & 0xffL) << 48
        | (low & 0xff00000000000000L);
  }

  private Hash128 finish() {
    for (int round = 0; round < FINAL_ROUNDS; round++) {
      update(
          Long.rotateLeft(v0[2], 32),
          Long.rotateLeft(v0[3], 32),
          Long.rotateLeft(v0[0], 32),
          Long.rotateLeft(v0[1], 32));
    }
    return new Hash128(v0[0] + mul0[0] + v1[2] + mul1[2], v0[1] + mul0[1] + v1[3] + mul1[3]);
  }
}
