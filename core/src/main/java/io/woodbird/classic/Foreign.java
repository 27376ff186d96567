package io.woodbird.classic;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** The contents of a filter that another program defines. */
interface Foreign {
  /** Returns false if the original would say that the key is not here. */
  boolean mightContain(byte[] key);

  /** Returns the bytes of a key that is given as text. */
  default byte[] bytesOf(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /** Writes the bytes that the original would write. */
  void writeTo(OutputStream out) throws IOException;

  /** Sizes and counts in a few words. */
  @Override
  String toString();
}
