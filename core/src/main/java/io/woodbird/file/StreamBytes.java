package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The bytes of a stream, kept in chunks that are allocated as they arrive. */
final class StreamBytes {
  private static final int CHUNK_SHIFT = 18;
  private static final int CHUNK = 1 << CHUNK_SHIFT;

  private final InputStream in;
  private final List<byte[]> chunks = new ArrayList<>();
  private long length;

  StreamBytes(InputStream in) {
    this.in = in;
  }

  long length() {
    return length;
  }

  /** Returns a chunk with room for some of the next bytes. */
  private byte[] chunk(long more) {
    int last = (int) (length >>> CHUNK_SHIFT);
    int used = (int) length & CHUNK - 1;
    int needed = (int) Math.min(CHUNK, used + more);
    if (last == chunks.size()) {
      chunks.add(new byte[needed]);
    } else if (chunks.get(last).length < needed) {
      chunks.set(last, Arrays.copyOf(chunks.get(last), needed));
    }
    return chunks.get(last);
  }

  /** Adds the first {@code count} bytes. */
  void add(byte[] bytes, int count) {
    for (int from = 0; from < count; ) {
      byte[] chunk = chunk(count - from);
      int at = (int) length & CHUNK - 1;
      int part = Math.min(chunk.length - at, count - from);
      System.arraycopy(bytes, from, chunk, at, part);
      length += part;
      from += part;
    }
  }

  /** Reads until there are {@code wanted} bytes. A footer follows them. */
  void readTo(long wanted) throws IOException {
    while (length < wanted) {
      byte[] chunk = chunk(wanted - length);
      int at = (int) length & CHUNK - 1;
      int part = (int) Math.min(chunk.length - at, wanted - length);
      int got = in.readNBytes(chunk, at, part);
      length += got;
      if (got < part) {
        throw cutShort(length, wanted + FileWriter.FOOTER_BYTES);
      }
    }
  }

  /** Reads the sections, keeps those of a known kind, and reads the footer. */
  void readSections(int headerCrc) throws IOException {
    long at = length; // In the stream: sections that are skipped count.
    while (true) {
      byte[] head = Arrays.copyOf(some(FileWriter.FOOTER_BYTES, at), Sections.HEAD_BYTES);
      ByteBuffer section = Bytes.wrap(head);
      if (section.getLong(0) != Sections.MAGIC) {
        add(head, FileWriter.FOOTER_BYTES);
        return;
      }
      int more = Sections.HEAD_BYTES - FileWriter.FOOTER_BYTES;
      section.put(FileWriter.FOOTER_BYTES, some(more, at + FileWriter.FOOTER_BYTES));
      Sections.Head parsed = Sections.head(section, headerCrc, at);
      at += Sections.HEAD_BYTES + parsed.padded();
      if (parsed.isKnown()) {
        add(head, head.length);
        readTo(length + parsed.padded());
      } else {
        skip(parsed.padded(), at);
      }
    }
  }

  /** Reads some bytes that are not kept; {@code at} is where they begin. */
  private byte[] some(int count, long at) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw cutShort(at + bytes.length, at + FileWriter.FOOTER_BYTES);
    }
    return bytes;
  }

  private void skip(long count, long end) throws IOException {
    for (long left = count; left > 0; ) {
      int skipped = in.readNBytes((int) Math.min(left, CHUNK)).length;
      if (skipped == 0) {
        throw cutShort(end - left, end + FileWriter.FOOTER_BYTES);
      }
      left -= skipped;
    }
  }

  BufferWords words() {
    return new BufferWords(
        chunks.stream().map(ByteBuffer::wrap).toArray(ByteBuffer[]::new), CHUNK_SHIFT, 0);
  }

  static CorruptFilterException cutShort(long got, long length) {
    return new CorruptFilterException(
        String.format(
            Locale.ROOT, "cut short: the stream ends after %,d of %,d bytes", got, length));
  }
}
