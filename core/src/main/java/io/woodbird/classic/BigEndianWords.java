package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The words of a filter as other libraries store them: a header, then longs, big-endian. */
final class BigEndianWords {
  private static final int CHUNK = 1 << 16;

  private BigEndianWords() {}

  /**
   * Reads all bytes of the longs before an array of the announced length is allocated.
   *
   * @param header how many bytes were read before
   */
  static List<byte[]> read(InputStream in, int header, long count) throws IOException {
    long length = count * 8;
    List<byte[]> chunks = new ArrayList<>();
    for (long done = 0; done < length; done += CHUNK) {
      byte[] chunk = new byte[(int) Math.min(CHUNK, length - done)];
      int read = in.readNBytes(chunk, 0, chunk.length);
      if (read < chunk.length) {
        throw new CorruptFilterException(
            String.format(
                Locale.ROOT,
                "the stream ends at byte %d, but its header announces %d longs, %d bytes in all",
                header + done + read,
                count,
                header + length));
      }
      chunks.add(chunk);
    }
    return chunks;
  }

  /** Sets the words to what was read. */
  static void fill(HeapWords words, List<byte[]> chunks) {
    long word = 0;
    for (byte[] chunk : chunks) {
      ByteBuffer longs = ByteBuffer.wrap(chunk);
      while (longs.hasRemaining()) {
        words.set(word++, longs.getLong());
      }
    }
  }

  /** Writes a header and the words. */
  static void write(byte[] header, HeapWords words, OutputStream out) throws IOException {
    int size = (int) Math.min(CHUNK, header.length + words.count() * 8);
    ByteBuffer chunk = ByteBuffer.allocate(size).put(header);
    for (long word = 0; word < words.count(); word++) {
      if (chunk.remaining() < 8) {
        out.write(chunk.array(), 0, chunk.position());
        chunk.clear();
      }
      chunk.putLong(words.get(word));
    }
    out.write(chunk.array(), 0, chunk.position());
  }
}
