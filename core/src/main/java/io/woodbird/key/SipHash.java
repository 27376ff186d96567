package io.woodbird.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * The hash under a secret: SipHash-1-3. Nobody can make keys that collide without the secret.
 *
 * @param k0 the first half of the secret; the seed of a filter is mixed into it
 * @param k1 the second half
 */
record SipHash(long k0, long k1) implements BitsHash {
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

  @Override
  public long bytes(byte[] bytes, int offset, int length, long seed) {
    long v0 = k0 ^ seed ^ V0;
    long v1 = k1 ^ V1;
    long v2 = k0 ^ seed ^ V2;
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

  @Override
  public long integer(long value, long seed) {
    return longs(value, 0, 1, seed);
  }

  @Override
  public long sixteen(long first, long second, long seed) {
    return longs(first, second, 2, seed);
  }

  private long longs(long first, long second, int count, long seed) {
    long v0 = k0 ^ seed ^ V0;
    long v1 = k1 ^ V1;
    long v2 = k0 ^ seed ^ V2;
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

  @Override
  public String bytesName() {
    // The fingerprint distinguishes secrets without revealing them. So a file that is opened with
    // the wrong secret is refused, and does not answer "not here" to every key.
    byte[] probe = "woodbird key fingerprint".getBytes(StandardCharsets.UTF_8);
    return String.format(Locale.ROOT, "siphash13:%016x", bytes(probe, 0, probe.length, 0));
  }

  @Override
  public String integerName() {
    return bytesName();
  }

  @Override
  public String toString() {
    return "SipHash"; // Never the secret.
  }
}
