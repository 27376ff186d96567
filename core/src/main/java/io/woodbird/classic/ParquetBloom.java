package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Locale;

/** A split-block Bloom filter as it stands in a Parquet file, with its header. */
final class ParquetBloom implements Foreign {
  /*
   * The header is a struct of Thrift's compact protocol, and every writer gives it these bytes:
   *
   *   15              field 1, i32: the number of bytes that follow the header
   *   zigzag varint
   *   1c 1c 00 00     field 2, a union of one case: split blocks
   *   1c 1c 00 00     field 3, a union of one case: XXH64
   *   1c 1c 00 00     field 4, a union of one case: not compressed
   *   00              end
   *
   * A block is 256 bits, eight words of 32. The high half of the hash chooses the block. The low half
   * is multiplied by eight odd constants, and the first five bits of each product choose a bit in each
   * word. All numbers are little-endian, so two words of a block are one of ours.
   *
   * The bits alone, without the header, are no format here: if they were cut short by whole blocks,
   * nobody could tell, and keys would be denied.
   */
  private static final byte[] REST = HexFormat.of().parseHex("1c1c00001c1c00001c1c000000");
  private static final int FIELD_1 = 0x15;
  private static final int BLOCK_BYTES = 32;
  private static final int MAX_BYTES = 128 << 20; // of parquet-java

  private static final int[] SALT = {
    0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31
  };

  private final HeapWords words;
  private final long blocks;

  private ParquetBloom(HeapWords words) {
    this.words = words;
    this.blocks = words.count() / 4;
  }

  /** Makes a filter of the size that parquet-java chooses. */
  static ParquetBloom build(long capacity, double fpp, Iterable<byte[]> keys) {
    double bits = -8 * (double) capacity / Math.log(1 - Math.pow(fpp, 1.0 / 8));
    if (!(bits <= MAX_BYTES * 8.0)) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %.0f bits, which must be at most %,d",
              capacity,
              fpp,
              bits,
              MAX_BYTES * 8L));
    }
    // The original means to round up to whole blocks and clears one bit instead. Then it rounds up
    // to a power of two, so only sizes just above one are affected: they are halved.
    int bytes = Math.max(BLOCK_BYTES, (((int) bits + 255) & ~256) / 8);
    int rounded = Integer.highestOneBit(bytes);
    rounded = Math.min(MAX_BYTES, rounded == bytes ? bytes : 2 * rounded);
    ParquetBloom filter = new ParquetBloom(new HeapWords(rounded / 8));
    for (byte[] key : keys) {
      filter.put(key);
    }
    return filter;
  }

  static ParquetBloom read(InputStream in) throws IOException {
    HeaderBytes header = new HeaderBytes(in);
    header.expect(FIELD_1);
    long bytes = header.zigzag();
    if (bytes < BLOCK_BYTES || bytes % BLOCK_BYTES != 0) {
      throw new CorruptFilterException(
          "the number of bytes must be a positive multiple of 32: " + bytes);
    }
    for (byte next : REST) {
      header.expect(next & 0xff);
    }
    return new ParquetBloom(
        WordStream.read(in, bytes / 8, ByteOrder.LITTLE_ENDIAN, header.position));
  }

  /** The bytes of a header, one after another. */
  private static final class HeaderBytes {
    private final InputStream in;
    private int position;

    HeaderBytes(InputStream in) {
      this.in = in;
    }

    int next() throws IOException {
      int next = in.read();
      if (next < 0) {
        throw new CorruptFilterException(
            "the stream ends at byte " + position + ", inside Parquet's header");
      }
      position++;
      return next;
    }

    void expect(int value) throws IOException {
      int found = next();
      if (found != value) {
        throw new CorruptFilterException(
            String.format(
                Locale.ROOT,
                "byte %s of Parquet's header must be 0x%02x for a split-block filter with XXH64,"
                    + " not compressed: 0x%02x",
                position - 1,
                value,
                found));
      }
    }

    /** Reads a positive number in its shortest form. */
    long zigzag() throws IOException {
      long value = 0;
      for (int shift = 0; shift < 35; shift += 7) {
        int next = next();
        value |= (long) (next & 0x7f) << shift;
        if (next < 0x80) {
          if ((value & 1) == 1 || value >>> 32 != 0 || (next == 0 && shift > 0)) {
            break;
          }
          return value >>> 1;
        }
      }
      throw new CorruptFilterException(
          "bytes 1 to " + (position - 1) + ", the number of bytes, are not a positive i32");
    }
  }

  private void put(byte[] key) {
    long hash = Xxh64.hash(key);
    long word = firstWord(hash);
    for (int pair = 0; pair < 4; pair++) {
      words.setBits(HeapWords.index(word + pair), mask((int) hash, pair));
    }
  }

  @Override
  public boolean mightContain(byte[] key) {
    long hash = Xxh64.hash(key);
    long word = firstWord(hash);
    for (int pair = 0; pair < 4; pair++) {
      long mask = mask((int) hash, pair);
      if ((words.get(word + pair) & mask) != mask) {
        return false;
      }
    }
    return true;
  }

  private long firstWord(long hash) {
    return (((hash >>> 32) * blocks) >>> 32) * 4;
  }

  /** The bits of a key in a pair of 32-bit words. */
  private static long mask(int low, int pair) {
    int even = (low * SALT[2 * pair]) >>> 27;
    int odd = (low * SALT[2 * pair + 1]) >>> 27;
    return (1L << even) | (1L << (32 + odd));
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    ByteArrayOutputStream header = new ByteArrayOutputStream();
    header.write(FIELD_1);
    long zigzag = words.count() * 8 * 2;
    for (; zigzag >= 0x80; zigzag >>>= 7) {
      header.write((int) ((zigzag & 0x7f) | 0x80));
    }
    header.write((int) zigzag);
    header.write(REST);
    header.writeTo(out);
    WordStream.write(words, ByteOrder.LITTLE_ENDIAN, out);
  }

  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%,d blocks of 256 bits", blocks);
  }
}
