package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The bytes of Apache Spark's {@code BloomFilter}, in both versions; see {@link ClassicFilter}. */
final class SparkFormat {
  /*
   *   0  i32 version, 1 or 2
   *   4  i32 hashes
   *   8  i32 seed, in version 2 only
   *      i32 number of longs
   *      the longs; bit i is bit i % 64 of long i / 64
   *
   * All numbers are big-endian.
   */
  private SparkFormat() {}

  /** Reads a filter, and no byte past its end. */
  static ClassicFilter read(InputStream in) throws IOException {
    int version = header(in, 4).getInt();
    if (version != 1 && version != 2) {
      throw new CorruptFilterException("bytes 0 to 3, the version, must be 1 or 2: " + version);
    }
    ByteBuffer rest = header(in, version == 1 ? 8 : 12);
    int hashes = rest.getInt();
    Scheme scheme = version == 1 ? Scheme.spark1() : Scheme.spark2(rest.getInt());
    int count = rest.getInt();
    if (count < 1 || count > ClassicFilter.MAX_WORDS) {
      throw new CorruptFilterException(
          String.format(
              "the number of longs must be from 1 to %s: %s", ClassicFilter.MAX_WORDS, count));
    }
    try {
      scheme.checkShape(count * 64L, hashes);
    } catch (IllegalArgumentException e) {
      throw new CorruptFilterException("the header is impossible: " + e.getMessage());
    }
    HeapWords words = WordStream.read(in, count, ByteOrder.BIG_ENDIAN, 4 + rest.limit());
    return scheme.filterOf(count * 64L, hashes, words);
  }

  private static ByteBuffer header(InputStream in, int length) throws IOException {
    return WordStream.header(in, length, "Spark's");
  }

  /** Writes a filter of one of the two schemes of Spark. */
  static void write(ClassicFilter filter, OutputStream out) throws IOException {
    if (!(filter.scheme().derivation() instanceof SparkMitz spark)) {
      throw new IllegalArgumentException("not a filter of Spark: " + filter.scheme());
    }
    boolean first = spark instanceof SparkMitz.Of32;
    ByteBuffer header = ByteBuffer.allocate(first ? 12 : 16);
    header.putInt(first ? 1 : 2).putInt(filter.hashes());
    if (!first) {
      header.putInt(spark.seed());
    }
    header.putInt((int) filter.words().count());
    out.write(header.array());
    WordStream.write(filter.words(), ByteOrder.BIG_ENDIAN, out);
  }
}
