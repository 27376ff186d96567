package io.woodbird.file;

import io.woodbird.words.WordSource;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The data of a filter, read in order of its bytes. */
public interface DataSource {
  /**
   * Fills the buffer from its position to its limit with the data from {@code offset} on. Offset
   * and length are multiples of eight; the byte order of the buffer is little-endian.
   */
  void read(long offset, ByteBuffer target) throws IOException;

  /** Returns words inverted: what reads as zeros by mistake then says "maybe here". */
  static DataSource inverted(WordSource words) {
    return (offset, target) -> {
      for (long word = offset / 8; target.hasRemaining(); word++) {
        target.putLong(~words.get(word));
      }
    };
  }
}
