package io.woodbird.file;

import java.io.IOException;

/** The bytes of a file, wherever they are. */
interface ByteSource {
  /**
   * Copies bytes from a place in the file to the beginning of an array.
   *
   * @throws IOException if the file ends before, or can't be read
   */
  void copy(long from, byte[] target, int length) throws IOException;
}
