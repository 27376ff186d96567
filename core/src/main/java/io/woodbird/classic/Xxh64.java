package io.woodbird.classic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** XXH64 with seed 0, the hash of Parquet's Bloom filters. */
final class Xxh64 {
  /*
   * Four lanes take 32 bytes at a time. What is left goes in steps of 8, 4 and 1 bytes, and a last
   * mixing spreads every bit over all 64. The specification is xxhash_spec.md of Yann Collet's xxHash.
   */
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long P1 = 0x9e3779b185ebca87L;
  private static final long P2 = 0xc2b2ae3d27d4eb4fL;
  private static final long P3 = 0x165667b19e3779f9L;
  private static final long P4 = 0x85ebca77c2b2ae63L;
  private static final long P5 = 0x27d4eb2f165667c5L;

  private Xxh64() {}

  static long hash(byte[] key) {
    int at = key.length & -32;
    long hash = (at == 0 ? P5 : lanes(key, at)) + key.length;
    for (; at + 8 <= key.length; at += 8) {
      hash = Long.rotateLeft(hash ^ round(0, (long) LONG.get(key, at)), 27) * P1 + P4;
    }
    if (at + 4 <= key.length) {
      long word = (int) INT.get(key, at) & 0xffffffffL;
      hash = Long.rotateLeft(hash ^ (word * P1), 23) * P2 + P3;
      at += 4;
    }
    for (; at < key.length; at++) {
      hash = Long.rotateLeft(hash ^ ((key[at] & 0xff) * P5), 11) * P1;
    }
    hash = (hash ^ (hash >>> 33)) * P2;
    hash = (hash ^ (hash >>> 29)) * P3;
    return hash ^ (hash >>> 32);
  }

  /** Hashes the first bytes of a key, a positive multiple of 32. */
  private static long lanes(byte[] key, int end) {
    long b = P2;
    long a = b + P1;
    long c = 0;
    long d = -P1;
    for (int at = 0; at < end; at += 32) {
      a = round(a, (long) LONG.get(key, at));
      b = round(b, (long) LONG.get(key, at + 8));
      c = round(c, (long) LONG.get(key, at + 16));
      d = round(d, (long) LONG.get(key, at + 24));
    }
    long hash =
        Long.rotateLeft(a, 1)
            + Long.rotateLeft(b, 7)
            + Long.rotateLeft(c, 12)
            + Long.rotateLeft(d, 18);
    for (long lane : new long[] {a, b, c, d}) {
      hash = (hash ^ round(0, lane)) * P1 + P4;
    }
    return hash;
  }

  private static long round(long lane, long input) {
    return Long.rotateLeft(lane + input * P2, 31) * P1;
  }
}
