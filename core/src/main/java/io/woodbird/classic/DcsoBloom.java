package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;

/** A Bloom filter of DCSO's bloom tool, the format of CIRCL's hash lists. */
final class DcsoBloom implements Foreign {
  /*
   *   0  u64 flags: the low byte is the version, 1
   *   8  u64 n, the planned keys
   *  16  f64 p, the planned fpp
   *  24  u64 k, positions per key
   *  32  u64 m, bits
   *  40  u64 N, keys that changed a bit
   *  48  (m + 63) / 64 words, bit i is bit i % 64 of word i / 64; then free data to the end
   *
   * All little-endian. The first hash is FNV-1. Each further one is the last times G modulo M. The
   * product wraps at 2^64 before it is reduced, so this is no true Lehmer sequence; it must stay so.
   * Measured fpp at 1 %: see ForeignFilterTest.
   */
  private static final int HEADER = 48;
  private static final long M = -59L; // 2^64 - 59, a prime
  private static final long G = -1469L; // 18446744073709550147

  private final long flags;
  private final long planned;
  private final double fpp;
  private final int hashes;
  private final long bits;
  private long keys;
  private final HeapWords words;
  private byte[] data = {};

  private DcsoBloom(
      long flags, long planned, double fpp, int hashes, long bits, long keys, HeapWords words) {
    this.flags = flags;
    this.planned = planned;
    this.fpp = fpp;
    this.hashes = hashes;
    this.bits = bits;
    this.keys = keys;
    this.words = words;
  }

  /** Makes a filter of the original's size. */
  static DcsoBloom build(long capacity, double fpp, Iterable<byte[]> keys) {
    double ln2 = Math.log(2);
    double size = Math.abs(Math.ceil(capacity * Math.log(fpp) / Math.pow(ln2, 2)));
    if (!(size >= 1 && size <= ClassicFilter.MAX_WORDS * 64.0)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %.0f bits, which must be from 1 to %,d",
              capacity,
              fpp,
              size,
              ClassicFilter.MAX_WORDS * 64));
    }
    int hashes = (int) Math.ceil(ln2 * size / capacity);
    long bits = (long) size;
    HeapWords words = new HeapWords((bits + 63) >>> 6);
    DcsoBloom filter = new DcsoBloom(1, capacity, fpp, hashes, bits, 0, words);
    for (byte[] key : keys) {
      filter.put(key);
    }
    return filter;
  }

  static DcsoBloom read(InputStream in) throws IOException {
    ByteBuffer header = WordStream.header(in, HEADER, "DCSO's").order(ByteOrder.LITTLE_ENDIAN);
    long flags = header.getLong(0);
    if ((flags & 0xff) != 1) {
      throw new CorruptFilterException("byte 0, the version, must be 1: " + (flags & 0xff));
    }
    long hashes = header.getLong(24);
    long bits = header.getLong(32);
    if (bits < 1 || bits > ClassicFilter.MAX_WORDS * 64) {
      throw new CorruptFilterException(
          String.format(
              "bytes 32 to 39, the number of bits, must be from 1 to %s: %s",
              ClassicFilter.MAX_WORDS * 64, Long.toUnsignedString(bits)));
    }
    if (hashes < 1 || hashes > 1 << 16) {
      throw new CorruptFilterException(
          "bytes 24 to 31, the number of hashes, must be from 1 to 65536: "
              + Long.toUnsignedString(hashes));
    }
    HeapWords words = WordStream.read(in, (bits + 63) >>> 6, ByteOrder.LITTLE_ENDIAN, HEADER);
    DcsoBloom filter =
        new DcsoBloom(
            flags,
            header.getLong(8),
            header.getDouble(16),
            (int) hashes,
            bits,
            header.getLong(40),
            words);
    filter.data = in.readAllBytes();
    return filter;
  }

  private void put(byte[] key) {
    long hash = first(key);
    boolean changed = false;
    for (int i = 0; i < hashes; i++) {
      hash = next(hash);
      long bit = Long.remainderUnsigned(hash, bits);
      changed |= words.setBits(HeapWords.index(bit >>> 6), 1L << bit);
    }
    keys += changed ? 1 : 0;
  }

  @Override
  public boolean mightContain(byte[] key) {
    long hash = first(key);
    for (int i = 0; i < hashes; i++) {
      hash = next(hash);
      long bit = Long.remainderUnsigned(hash, bits);
      if ((words.get(bit >>> 6) >>> bit & 1) == 0) {
        return false;
      }
    }
    return true;
  }

  private static long first(byte[] key) {
    long hash = 0xcbf29ce484222325L;
    for (byte b : key) {
      hash = (hash * 0x100000001b3L) ^ (b & 0xff);
    }
    return Long.remainderUnsigned(hash, M);
  }

  private static long next(long hash) {
    return Long.remainderUnsigned(hash * G, M);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    ByteBuffer header = ByteBuffer.allocate(HEADER).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(flags).putLong(planned).putDouble(fpp);
    header.putLong(hashes).putLong(bits).putLong(keys);
    out.write(header.array());
    WordStream.write(words, ByteOrder.LITTLE_ENDIAN, out);
    out.write(data);
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%,d bits, %d hashes, %s of %s planned keys at fpp %s, %,d bytes of data beside it",
        bits,
        hashes,
        Long.toUnsignedString(keys),
        Long.toUnsignedString(planned),
        fpp,
        data.length);
  }
}
