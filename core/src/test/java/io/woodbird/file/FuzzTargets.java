package io.woodbird.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** What the fuzzers call with any bytes: each reader of foreign bytes, as {@link Parsers} says. */
final class FuzzTargets {
  private static final int FILTER_CRC = 0x1122_3344;
  private static final Path FILE = temporaryFile();

  private FuzzTargets() {}

  /** The bytes as they are, through every way to read a filter. */
  static void filter(byte[] bytes) {
    try {
      boolean wrapped = Parsers.wrap(bytes);
      boolean opened = Parsers.open(bytes, FILE);
      boolean read = Parsers.read(bytes);
      // A file may hide damage in a page until it is asked; a stream is checked to its end, and
      // may go on behind it.
      if (wrapped != opened || (read && !wrapped && !Parsers.wrap(firstFilter(bytes)))) {
        throw new AssertionError("wrap " + wrapped + ", open " + opened + ", read " + read);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The filter at the beginning of a stream, up to its footer. */
  private static byte[] firstFilter(byte[] bytes) {
    long at = FileWriter.sizeInBytes(Surgery.view(bytes).getLong(48)) - FileWriter.FOOTER_BYTES;
    while (Surgery.view(bytes).getLong((int) at) == Sections.MAGIC) {
      at += Sections.HEAD_BYTES + (Surgery.view(bytes).getLong((int) at + 16) + 7 & -8);
    }
    return Arrays.copyOf(bytes, (int) at + FileWriter.FOOTER_BYTES);
  }

  /** The same with the checksums made right, so that what lies behind them is reached. */
  static void sealedFilter(byte[] bytes) {
    filter(sealed(bytes));
  }

  /** A filter of another program, with the checksums made right. */
  static void sealedForeign(byte[] bytes) {
    Parsers.foreign(sealed(bytes));
  }

  private static byte[] sealed(byte[] bytes) {
    byte[] copy = bytes.clone();
    return copy.length < Header.BYTES ? copy : Surgery.seal(copy, Surgery.view(copy).getLong(48));
  }

  /** The bytes as a journal. */
  static void journal(byte[] bytes) {
    try {
      Parsers.replay(bytes, FILE, FILTER_CRC);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same with the checksums made right, as far as frames follow each other. */
  static void sealedJournal(byte[] bytes) {
    byte[] sealed = bytes.clone();
    ByteBuffer view = Surgery.view(sealed);
    if (sealed.length >= Journal.FRAMES_AT) {
      ByteBuffer header = Journal.header(1, FILTER_CRC);
      int id = header.getInt(Journal.HEADER_CRC_AT);
      view.put(0, header, 0, Journal.HEADER_BYTES);
      for (int at = Journal.MARK_AT; at < Journal.FRAMES_AT; at += Journal.MARK_AT) {
        ByteBuffer mark = Journal.mark(id, view.getLong(at), (view.get(at + 8) & 1) != 0);
        view.put(at, mark, 0, Journal.MARK_BYTES);
      }
      for (int at = Journal.FRAMES_AT; at + 24 <= sealed.length; ) {
        int count = view.getInt(at + 4);
        int end = at + 8 + 8 * count;
        if (count <= 0 || count > sealed.length / 8 || end + 8 > sealed.length) {
          break;
        }
        view.putInt(end, Journal.frameCrc(id, at, ByteBuffer.wrap(sealed, at, end - at)));
        at = end + 8;
      }
    }
    journal(sealed);
  }

  private static Path temporaryFile() {
    try {
      Path path = Files.createTempFile("woodbird-fuzz", ".wbird");
      path.toFile().deleteOnExit();
      return path;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
