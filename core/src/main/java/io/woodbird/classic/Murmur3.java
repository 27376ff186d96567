package io.woodbird.classic;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** MurmurHash3, the 128-bit variant for 64-bit machines, with seed 0: Guava's murmur3_128. */
final class Murmur3 {
  /*
   * Austin Appleby's MurmurHash3_x64_128. It has no secret: anyone can make any number of keys that
   * collide for every seed. So a filter of Guava does not protect against hostile keys.
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long C1 = 0x87c37b91114253d5L;
  private static final long C2 = 0x4cf5ad432745937fL;

  private Murmur3() {}

  static Hash128 hash(byte[] bytes) {
    long h1 = 0;
    long h2 = 0;
    int end = bytes.length & -16;
    for (int i = 0; i < end; i += 16) {
      h1 ^= mixFirst((long) LONGS.get(bytes, i));
      h1 = (Long.rotateLeft(h1, 27) + h2) * 5 + 0x52dce729;
      h2 ^= mixSecond((long) LONGS.get(bytes, i + 8));
      h2 = (Long.rotateLeft(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    // Without a tail both are 0, and mixing 0 gives 0.
    h1 ^= mixFirst(tail(bytes, end));
    h2 ^= mixSecond(tail(bytes, end + 8));
    h1 ^= bytes.length;
    h2 ^= bytes.length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    return new Hash128(h1, h2 + h1);
  }

  /** Returns the eight bytes from {@code from} on, little-endian, with zeros past the end. */
  private static long tail(byte[] bytes, int from) {
    long word = 0;
    for (int i = Math.min(bytes.length, from + 8) - 1; i >= from; i--) {
      word = word << 8 | (bytes[i] & 0xff);
    }
    return word;
  }

  private static long mixFirst(long word) {
    return Long.rotateLeft(word * C1, 31) * C2;
  }

  private static long mixSecond(long word) {
    return Long.rotateLeft(word * C2, 33) * C1;
  }

  private static long finish(long hash) {
    long h = hash;
    h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
    h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
    return h ^ h >>> 33;
  }
}
