package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;

/** The data of a filter, read in order of its bytes. */
public interface DataSource {
  /**
   * Fills the buffer from its position to its limit with the data from {@code offset} on. Offset
   * and length are multiples of eight; the byte order of the buffer is little-endian.
   */
  void read(long offset, ByteBuffer target) throws IOException;
}
