package io.woodbird.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** The hash without a secret: rapidhash, version 3, for bytes, and SplitMix64 for integers. */
enum RapidHash implements BitsHash {
  INSTANCE;

  /*
   * Sixteen bytes at a time are folded into the state by one 64 x 64 -> 128 bit multiplication
   * whose halves are xored ("mix"). Inputs of more than 112 bytes go through seven independent
   * states, so that the multiplications overlap. Nothing is allocated; bytes are read little-endian
   * on every machine.
   *
   * Three methods for three ranges of lengths, because HotSpot does not inline a hot method of more
   * than 325 bytes of bytecode; as one method it had 417 (decision 13).
   *
   * This is not hash4j's class, because hash4j binds the seed to an object: one object per call or
   * per filter. KeyHasher takes the seed as an argument. The tests compare the results with
   * hash4j's, and HashBench compares the speed.
   *
   * It is a fast hash, not a keyed one: anyone can compute keys that collide for every seed. For
   * hostile input use Keys.keyed.
   */
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INTS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long SECRET0 = 0x2d358dccaa6c78a5L;
  private static final long SECRET1 = 0x8bb84b93962eacc9L;
  private static final long SECRET2 = 0x4b33a62ed433d4a3L;
  private static final long SECRET3 = 0x4d5a2da51de1aa47L;
  private static final long SECRET4 = 0xa0761d6478bd642fL;
  private static final long SECRET5 = 0xe7037ed1a0b428dbL;
  private static final long SECRET6 = 0x90ed1765281c388cL;
  private static final long SECRET7 = 0xaaaaaaaaaaaaaaaaL;

  @Override
  public long bytes(byte[] bytes, int offset, int length, long seed) {
    long state = stateOf(seed);
    if (length <= 16) {
      return hashShort(bytes, offset, length, state);
    }
    return length <= 112
        ? hashMiddle(bytes, offset, length, state)
        : hashLong(bytes, offset, length, state);
  }

  private static long hashLong(byte[] bytes, int offset, int length, long seeded) {
    long state = seeded;
    long state1 = state;
    long state2 = state;
    long state3 = state;
    long state4 = state;
    long state5 = state;
    long state6 = state;
    int from = offset;
    int left = length;
    do {
      state = mix(read8(bytes, from) ^ SECRET0, read8(bytes, from + 8) ^ state);
      state1 = mix(read8(bytes, from + 16) ^ SECRET1, read8(bytes, from + 24) ^ state1);
      state2 = mix(read8(bytes, from + 32) ^ SECRET2, read8(bytes, from + 40) ^ state2);
      state3 = mix(read8(bytes, from + 48) ^ SECRET3, read8(bytes, from + 56) ^ state3);
      state4 = mix(read8(bytes, from + 64) ^ SECRET4, read8(bytes, from + 72) ^ state4);
      state5 = mix(read8(bytes, from + 80) ^ SECRET5, read8(bytes, from + 88) ^ state5);
      state6 = mix(read8(bytes, from + 96) ^ SECRET6, read8(bytes, from + 104) ^ state6);
      from += 112;
      left -= 112;
    } while (left > 112);
    state ^= state1 ^ state2 ^ state3 ^ state4 ^ state5 ^ state6;
    return hashMiddle(bytes, from, left, state);
  }

  /** Hashes a key of 17 to 112 bytes, or what the seven states left of a longer one. */
  private static long hashMiddle(byte[] bytes, int from, int left, long seeded) {
    long state = seeded;
    if (left > 16) {
      state = mix(read8(bytes, from) ^ SECRET2, read8(bytes, from + 8) ^ state);
    }
    if (left > 32) {
      state = mix(read8(bytes, from + 16) ^ SECRET2, read8(bytes, from + 24) ^ state);
    }
    if (left > 48) {
      state = mix(read8(bytes, from + 32) ^ SECRET1, read8(bytes, from + 40) ^ state);
    }
    if (left > 64) {
      state = mix(read8(bytes, from + 48) ^ SECRET1, read8(bytes, from + 56) ^ state);
    }
    if (left > 80) {
      state = mix(read8(bytes, from + 64) ^ SECRET2, read8(bytes, from + 72) ^ state);
    }
    if (left > 96) {
      state = mix(read8(bytes, from + 80) ^ SECRET1, read8(bytes, from + 88) ^ state);
    }
    // The last 16 bytes are read from the end, so they may overlap those before.
    long a = read8(bytes, from + left - 16) ^ left;
    return finish(a, read8(bytes, from + left - 8), state, left);
  }

  @Override
  public long sixteen(long first, long second, long seed) {
    return finish(first, second, stateOf(seed) ^ 16, 16);
  }

  @Override
  public long integer(long value, long seed) {
    return mix64(value + seed);
  }

  /**
   * The 64-bit finaliser of SplitMix64, as in {@link java.util.SplittableRandom}: a bijection of
   * {@code value}, in which every input bit flips every output bit half of the time.
   */
  static long mix64(long value) {
    long mixed = (value ^ (value >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  @Override
  public String bytesName() {
    return "rapidhash3";
  }

  @Override
  public String integerName() {
    return "splitmix64";
  }

  private static long hashShort(byte[] bytes, int offset, int length, long state) {
    if (length >= 8) {
      long last = read8(bytes, offset + length - 8);
      return finish(read8(bytes, offset), last, state ^ length, length);
    }
    if (length >= 4) {
      long last = read4(bytes, offset + length - 4);
      return finish(read4(bytes, offset), last, state ^ length, length);
    }
    if (length > 0) {
      long ends = (bytes[offset] & 0xffL) << 45 | (bytes[offset + length - 1] & 0xffL);
      return finish(ends, bytes[offset + (length >> 1)] & 0xffL, state, length);
    }
    return finish(0, 0, state, 0);
  }

  private static long stateOf(long seed) {
    return seed ^ mix(seed ^ SECRET2, SECRET1);
  }

  private static long finish(long a, long b, long state, int length) {
    long x = a ^ SECRET1;
    long y = b ^ state;
    return mix(x * y ^ SECRET7, multiplyHigh(x, y) ^ SECRET1 ^ length);
  }

  private static long mix(long a, long b) {
    return a * b ^ multiplyHigh(a, b);
  }

  /** The unsigned high half of a product; {@code Math.unsignedMultiplyHigh} came with Java 18. */
  private static long multiplyHigh(long a, long b) {
    return Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a);
  }

  private static long read8(byte[] bytes, int index) {
    return (long) LONGS.get(bytes, index);
  }

  private static long read4(byte[] bytes, int index) {
    return (int) INTS.get(bytes, index) & 0xffffffffL;
  }
}
