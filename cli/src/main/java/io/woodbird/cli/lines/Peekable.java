package io.woodbird.cli.lines;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A stream whose first bytes can be looked at, and that counts what was read. */
final class Peekable extends InputStream {
  private final InputStream in;
  private byte @Nullable [] ahead;
  private int at;
  private long count;

  Peekable(InputStream in) {
    this.in = in;
  }

  /**
   * Whether the stream begins with these bytes. Reads no further than it must: what is typed must
   * not be waited for.
   */
  boolean startsWith(int... magic) throws IOException {
    byte[] seen = ahead == null ? new byte[0] : ahead;
    int matched = 0;
    while (matched < magic.length) {
      if (matched == seen.length) {
        int next = in.read();
        if (next < 0) {
          break;
        }
        seen = Arrays.copyOf(seen, matched + 1);
        seen[matched] = (byte) next;
      }
      if (seen[matched] != (byte) magic[matched]) {
        break;
      }
      matched++;
    }
    ahead = seen.length == 0 ? null : seen;
    return matched == magic.length;
  }

  /** How many bytes were read. */
  long count() {
    return count;
  }

  /** Whether the next read would wait, as far as anybody can tell. */
  boolean wouldWait() {
    try {
      return ahead == null && in.available() == 0;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    byte[] first = ahead;
    int read;
    if (first == null) {
      read = in.read(into, offset, length);
    } else {
      read = Math.min(length, first.length - at);
      System.arraycopy(first, at, into, offset, read);
      at += read;
      ahead = at < first.length ? first : null;
      if (read == 0 && length > 0) {
        read = in.read(into, offset, length);
      }
    }
    count += Math.max(0, read);
    return read;
  }

  /**
   * Returns 0 at the end only, and waits to know it. GZIPInputStream looks for a further member
   * only if something is available: on a pipe that says 0 now and then, it would drop the rest.
   */
  @Override
  public int available() throws IOException {
    if (ahead == null) {
      int next = in.read();
      if (next < 0) {
        return 0;
      }
      ahead = new byte[] {(byte) next};
      at = 0;
    }
    return 1;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
