package io.woodbird.cli.lines;

import io.woodbird.cli.say.BlockInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import java.util.zip.ZipException;

/** What the members of a gzip stream hold, one after another. A member that is cut short throws. */
final class GzipMembers extends BlockInput {
  /*
   * Not GZIPInputStream: if it can't read the head of a further member, it says that the stream ends
   * there. So a copy that was cut in the head of its second member, or a damaged head in the middle of
   * a file of bgzip, would be read without all lines behind it, and a filter built from it would deny
   * them. gzip(1) warns of such bytes. Here they are an error, also zeros, which a download that did
   * not end leaves behind.
   *
   * A member, by RFC 1952:
   *
   *   0  1f 8b 08, u8 flags, u32 time, u8 how it was packed, u8 system
   *  10  by the flags: u16 and as many bytes; a name and a 0; a comment and a 0; u16 CRC of all these
   *      the packed data
   *      u32 CRC32 of the data, u32 its length
   */
  private static final int HEAD_CRC = 2;
  private static final int EXTRA = 4;
  private static final int NAME = 8;
  private static final int COMMENT = 16;
  private static final int RESERVED = 0xe0;

  private final InputStream in;
  private final Inflater inflater = new Inflater(true);
  private final CRC32 crc = new CRC32();
  private final byte[] buffer = new byte[1 << 16];
  private int at;
  private int limit;
  private boolean inMember;

  GzipMembers(InputStream in) {
    this.in = in;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (inMember || isMore()) {
      if (!inMember) {
        readHead();
        inflater.reset();
        crc.reset();
        inMember = true;
      }
      int count = inflate(into, offset, length);
      if (count > 0) {
        crc.update(into, offset, count);
        return count;
      }
      if (inflater.finished()) {
        readTail();
        inMember = false;
      }
    }
    return -1;
  }

  /** Unpacks some bytes; 0 if the data of the member ends. */
  private int inflate(byte[] into, int offset, int length) throws IOException {
    try {
      while (true) {
        inflater.setInput(buffer, at, limit - at);
        int count = inflater.inflate(into, offset, length);
        at = limit - inflater.getRemaining();
        if (count > 0 || inflater.finished()) {
          return count;
        }
        if (inflater.needsDictionary()) {
          throw new ZipException("it needs a dictionary");
        }
        requireMore();
      }
    } catch (DataFormatException e) {
      ZipException damaged = new ZipException("" + e.getMessage());
      damaged.initCause(e);
      throw damaged;
    }
  }

  private void readHead() throws IOException {
    crc.reset();
    if (next() != 0x1f || next() != 0x8b) {
      throw new ZipException("other bytes follow the compressed data");
    }
    int method = next();
    int flags = next();
    if (method != 8 || (flags & RESERVED) != 0) {
      throw new ZipException("method " + method + " and flags " + flags + " are unknown");
    }
    skipBytes(6);
    if ((flags & EXTRA) != 0) {
      skipBytes(number(2));
    }
    if ((flags & NAME) != 0) {
      skipText();
    }
    if ((flags & COMMENT) != 0) {
      skipText();
    }
    long expected = crc.getValue() & 0xffff;
    if ((flags & HEAD_CRC) != 0 && number(2) != expected) {
      throw new ZipException("the head of a member has the wrong checksum");
    }
  }

  private void readTail() throws IOException {
    long expected = crc.getValue();
    if (number(4) != expected || number(4) != (inflater.getBytesWritten() & 0xffff_ffffL)) {
      throw new ZipException("the data has the wrong checksum");
    }
  }

  private void skipBytes(long count) throws IOException {
    for (long i = 0; i < count; i++) {
      next();
    }
  }

  private void skipText() throws IOException {
    int letter;
    do {
      letter = next();
    } while (letter != 0);
  }

  /** Reads a little-endian number. */
  private long number(int bytes) throws IOException {
    long number = 0;
    for (int i = 0; i < bytes; i++) {
      number |= (long) next() << (8 * i);
    }
    return number;
  }

  /** Reads a byte of a head or a tail, and adds it to the checksum, which a head may have. */
  private int next() throws IOException {
    requireMore();
    int value = buffer[at++] & 0xff;
    crc.update(value);
    return value;
  }

  private void requireMore() throws IOException {
    if (!isMore()) {
      throw new EOFException("it ends too early");
    }
  }

  /** Whether the stream goes on; waits until that is known. */
  private boolean isMore() throws IOException {
    if (at == limit) {
      at = 0;
      limit = Math.max(0, in.read(buffer, 0, buffer.length));
    }
    return at < limit;
  }

  @Override
  public void close() throws IOException {
    inflater.end();
    in.close();
  }
}
