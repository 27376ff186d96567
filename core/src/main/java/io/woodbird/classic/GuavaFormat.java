package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** The bytes of Guava's {@code BloomFilter}; see {@link ClassicFilter#read}. */
final class GuavaFormat {
  /*
   *   0  u8  strategy: 0 is MITZ_32, 1 is MITZ_64
   *   1  u8  hashes, 1 to 255
   *   2  i32 number of longs, big-endian
   *   6  the longs, big-endian; bit i is bit i % 64 of long i / 64
   */
  private static final List<String> STRATEGIES = List.of("guava-mitz-32", "guava-mitz-64");

  private static final int HEADER = 6;

  private GuavaFormat() {}

  /** Reads a filter, and no byte past its end. */
  static ClassicFilter read(InputStream in) throws IOException {
    ByteBuffer header = WordStream.header(in, HEADER, "Guava's");
    int strategy = header.get(0) & 0xff;
    if (strategy >= STRATEGIES.size()) {
      throw new CorruptFilterException(
          "byte 0 must be strategy 0 (MITZ_32) or 1 (MITZ_64): " + strategy);
    }
    int hashes = header.get(1) & 0xff;
    if (hashes == 0) {
      throw new CorruptFilterException("byte 1, the number of hashes, must not be 0");
    }
    long count = header.getInt(2);
    if (count < 1 || count > ClassicFilter.MAX_WORDS) {
      throw new CorruptFilterException(
          String.format(
              "bytes 2 to 5, the number of longs, must be from 1 to %s: %s",
              ClassicFilter.MAX_WORDS, count));
    }
    HeapWords words = WordStream.read(in, count, ByteOrder.BIG_ENDIAN, HEADER);
    return Scheme.of(STRATEGIES.get(strategy)).filterOf(count * 64, hashes, words);
  }

  /** Writes a filter of one of the {@link #STRATEGIES}. */
  static void write(ClassicFilter filter, OutputStream out) throws IOException {
    int strategy = STRATEGIES.indexOf(filter.scheme().name());
    if (strategy < 0) {
      throw new IllegalArgumentException(
          "Guava has no strategy for this scheme, only for " + STRATEGIES + ": " + filter.scheme());
    }
    HeapWords words = filter.words();
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    header.put((byte) strategy).put((byte) filter.hashes()).putInt((int) words.count());
    out.write(header.array());
    WordStream.write(words, ByteOrder.BIG_ENDIAN, out);
  }
}
