package io.woodbird.key;

/** A seeded hash of bytes and of longs, on which every hasher in {@link Keys} is built. */
interface BitsHash {
  /** The hash of {@code length} bytes from {@code offset} on. */
  long bytes(byte[] bytes, int offset, int length, long seed);

  /** The hash of a 64-bit integer. */
  long integer(long value, long seed);

  /** The hash of sixteen bytes, given as two little-endian longs. */
  long sixteen(long first, long second, long seed);

  /** Names the function for byte keys, and the secret if there is one. */
  String bytesName();

  /** Names the function for integers. */
  String integerName();
}
