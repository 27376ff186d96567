package io.woodbird.file;

import java.io.IOException;

/** The bytes of a file, wherever they are. */
interface ByteSource {
  /**
   * Copies bytes from a place in the file to the beginning of an array, or throws if they can't be
   * read.
   */
  void copy(long from, byte[] target, int length) throws IOException;

  /** Takes some bytes, as a checksum does. */
  interface Taker {
    void take(byte[] bytes, int from, int count);
  }

  /** Passes bytes on, a part at a time. */
  default void forEachPart(long from, long count, Taker taker) throws IOException {
    byte[] part = new byte[(int) Math.min(count, FileWriter.BUFFER_BYTES)];
    for (long done = 0; done < count; done += part.length) {
      int some = (int) Math.min(part.length, count - done);
      copy(from + done, part, some);
      taker.take(part, 0, some);
    }
  }

  /** Whether all of some bytes are zero. */
  default boolean isZero(long from, int count) throws IOException {
    byte[] bytes = new byte[count];
    copy(from, bytes, count);
    for (byte zero : bytes) {
      if (zero != 0) {
        return false;
      }
    }
    return true;
  }
}
