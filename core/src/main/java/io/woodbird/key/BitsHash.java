package io.woodbird.key;

import java.util.Locale;

/** A seeded hash of bytes and of longs, on which every hasher in {@link Keys} is built. */
interface BitsHash {
  long bytes(byte[] bytes, int offset, int length, long seed);

  /** The hash of a 64-bit integer. */
  long integer(long value, long seed);

  /** The hash of sixteen bytes, given as two little-endian longs. */
  long sixteen(long first, long second, long seed);

  /** Names the function for byte keys, and the secret if there is one. */
  String bytesName();

  /** Names the function for integers. */
  String integerName();

  /** The fast functions: Rapidhash over bytes, the SplitMix64 finaliser over integers. */
  enum Fast implements BitsHash {
    INSTANCE;

    @Override
    public long bytes(byte[] bytes, int offset, int length, long seed) {
      return RapidHash.hash(bytes, offset, length, seed);
    }

    @Override
    public long integer(long value, long seed) {
      return Mix.mix64(value + seed);
    }

    @Override
    public long sixteen(long first, long second, long seed) {
      return RapidHash.hash16(first, second, seed);
    }

    @Override
    public String bytesName() {
      return "rapidhash3";
    }

    @Override
    public String integerName() {
      return "splitmix64";
    }
  }

  /** SipHash-1-3 under a secret; the seed of the filter is mixed into the secret. */
  record Keyed(long k0, long k1) implements BitsHash {
    @Override
    public long bytes(byte[] bytes, int offset, int length, long seed) {
      return SipHash.hash(bytes, offset, length, k0 ^ seed, k1);
    }

    @Override
    public long integer(long value, long seed) {
      return SipHash.hash8(value, k0 ^ seed, k1);
    }

    @Override
    public long sixteen(long first, long second, long seed) {
      return SipHash.hash16(first, second, k0 ^ seed, k1);
    }

    @Override
    public String bytesName() {
      // The fingerprint distinguishes secrets without revealing them. So a file that is opened with
      // the wrong secret is refused, and does not answer "not here" to every key.
      byte[] probe = "woodbird key fingerprint".getBytes(java.nio.charset.StandardCharsets.UTF_8);
      return "siphash13:"
          + String.format(Locale.ROOT, "%016x", SipHash.hash(probe, 0, probe.length, k0, k1));
    }

    @Override
    public String integerName() {
      return bytesName();
    }

    @Override
    public String toString() {
      return "Keyed"; // Never the secret.
    }
  }
}
