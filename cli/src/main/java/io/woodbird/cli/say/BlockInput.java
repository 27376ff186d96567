package io.woodbird.cli.say;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is read many bytes at a time; a single byte is a block of one. */
public abstract class BlockInput extends InputStream {
  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public abstract int read(byte[] into, int offset, int length) throws IOException;
}
