package io.woodbird.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** SipHash-1-3: a keyed 64-bit hash that nobody can steer without the 128-bit key. */
final class SipHash {
  /*
   * One round per eight bytes and three at the end, the variant that Rust's and Python's hash tables
   * use. The state is four longs; a call allocates nothing because the state lives in locals only
   * (escape analysis removes the State object: 0 B/op in HashBench).
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private SipHash() {}

  /** Returns the hash of {@code length} bytes from {@code offset} on, under the key (k0, k1). */
  static long hash(byte[] bytes, int offset, int length, long k0, long k1) {
    State state = new State(k0, k1);
    int end = offset + (length & -8);
    int index = offset;
    for (; index < end; index += 8) {
      state.absorb((long) LONGS.get(bytes, index));
    }
    long last = (long) length << 56;
    for (int shift = 0; index < offset + length; index++, shift += 8) {
      last |= (bytes[index] & 0xffL) << shift;
    }
    state.absorb(last);
    return state.finish();
  }

  /** Returns the hash of the eight bytes of a little-endian long. */
  static long hash8(long value, long k0, long k1) {
    State state = new State(k0, k1);
    state.absorb(value);
    state.absorb(8L << 56);
    return state.finish();
  }

  /** Returns the hash of the sixteen bytes of two little-endian longs. */
  static long hash16(long first, long second, long k0, long k1) {
    State state = new State(k0, k1);
    state.absorb(first);
    state.absorb(second);
    state.absorb(16L << 56);
    return state.finish();
  }

  private static final class State {
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    State(long k0, long k1) {
      v0 = k0 ^ 0x736f6d6570736575L;
      v1 = k1 ^ 0x646f72616e646f6dL;
      v2 = k0 ^ 0x6c7967656e657261L;
      v3 = k1 ^ 0x7465646279746573L;
    }

    void absorb(long word) {
      v3 ^= word;
      round();
      v0 ^= word;
    }

    long finish() {
      v2 ^= 0xff;
      round();
      round();
      round();
      return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
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
    }
  }
}
