package io.woodbird.spark;

import io.woodbird.filter.frozen.ShardSolver;
import java.nio.ByteBuffer;

/** A solved shard as an array of bytes: what tasks hand over with any serializer of Spark. */
final class ShardRecord {
  /*
   *   0  u64 hashes that the task of the shard was sent, in its first shard; else 0
   *   8  f64 fpp
   *  16  8 x u64 entry of the shard table
   *  80  u64 words of data
   *  88  the words of data, little-endian as in the file
   */
  private static final int ENTRY_WORDS = 8;
  private static final int ENTRY_AT = 16;
  private static final int WORDS_AT = ENTRY_AT + 8 * ENTRY_WORDS;

  /** Bytes before the data. */
  static final int HEAD_BYTES = WORDS_AT + 8;

  private ShardRecord() {}

  static byte[] of(ShardSolver.Shard shard, long received) {
    long[] words = shard.words();
    byte[] record = new byte[Math.addExact(HEAD_BYTES, Math.multiplyExact(8, words.length))];
    ByteBuffer bytes = HashTask.littleEndian(record);
    bytes.putLong(received).putDouble(shard.fpp());
    for (int i = 0; i < ENTRY_WORDS; i++) {
      bytes.putLong(shard.entry()[i]);
    }
    bytes.putLong(words.length);
    bytes.asLongBuffer().put(words);
    return record;
  }

  // The accessors take a record, or its first HEAD_BYTES bytes.

  static long received(byte[] bytes) {
    return HashTask.littleEndian(bytes).getLong(0);
  }

  static double fpp(byte[] bytes) {
    return HashTask.littleEndian(bytes).getDouble(8);
  }

  static long[] entry(byte[] bytes) {
    long[] entry = new long[ENTRY_WORDS];
    for (int i = 0; i < ENTRY_WORDS; i++) {
      entry[i] = HashTask.littleEndian(bytes).getLong(ENTRY_AT + 8 * i);
    }
    return entry;
  }

  static int words(byte[] bytes) {
    return Math.toIntExact(HashTask.littleEndian(bytes).getLong(WORDS_AT));
  }

  /** The data of a whole record. */
  static ByteBuffer data(byte[] bytes) {
    return ByteBuffer.wrap(bytes, HEAD_BYTES, bytes.length - HEAD_BYTES);
  }
}
