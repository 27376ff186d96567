package io.woodbird.cli.lines;

import io.woodbird.cli.say.BlockInput;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.atomic.AtomicLong;

/** A stream whose first bytes can be read in advance, and that counts the bytes read. */
final class Peekable extends BlockInput {
  /** Stands for any byte. */
  static final char ANY = '\uffff';

  private final InputStream in;
  private final byte[] ahead = new byte[1 << 16];
  private int at;
  private int limit;

  /** The thread that shows progress asks while another one reads. */
  private final AtomicLong count = new AtomicLong();

  Peekable(InputStream in) {
    this.in = in;
  }

  /**
   * Whether the stream, of which nothing was read yet, begins with these bytes, a character for
   * each. It reads no further than needed: for typed input the first letter usually decides.
   */
  boolean startsWith(String magic) throws IOException {
    for (int i = 0; i < magic.length(); i++) {
      if (i == limit && !readAhead()) {
        return false;
      }
      if (magic.charAt(i) != ANY && ahead[i] != (byte) magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Waits for further bytes and keeps them; false at the end. */
  private boolean readAhead() throws IOException {
    int read = in.read(ahead, limit, ahead.length - limit);
    limit += Math.max(0, read);
    return read > 0;
  }

  /** How many bytes were read. */
  long count() {
    return count.get();
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int read = Math.min(length, limit - at);
    if (read > 0) {
      System.arraycopy(ahead, at, into, offset, read);
      at += read;
    } else {
      read = in.read(into, offset, length);
    }
    count.addAndGet(Math.max(0, read));
    return read;
  }

  @Override
  public int available() throws IOException {
    return limit - at + in.available();
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
