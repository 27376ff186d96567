package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads and writes words in the files of other programs. */
final class WordStream {
  private static final int CHUNK = 1 << 16;

  private WordStream() {}

  /**
   * Reads words. Memory is allocated as bytes arrive, at most twice as much as have arrived,
   * whatever length the stream announces.
   *
   * @param before how many bytes of the stream were read already, for the message
   * @throws CorruptFilterException if the stream ends too soon
   */
  static HeapWords read(InputStream in, long count, ByteOrder order, long before)
      throws IOException {
    List<byte[]> chunks = readChunks(in, count * 8, before);
    HeapWords words = new HeapWords(count);
    long word = 0;
    for (byte[] chunk : chunks) {
      ByteBuffer longs = ByteBuffer.wrap(chunk).order(order);
      while (longs.hasRemaining()) {
        words.set(word++, longs.getLong());
      }
    }
    return words;
  }

  private static List<byte[]> readChunks(InputStream in, long length, long before)
      throws IOException {
    List<byte[]> chunks = new ArrayList<>();
    for (long done = 0; done < length; done += CHUNK) {
      byte[] chunk = new byte[(int) Math.min(CHUNK, length - done)];
      int read = in.readNBytes(chunk, 0, chunk.length);
      if (read < chunk.length) {
        throw new CorruptFilterException(
            String.format(
                Locale.ROOT,
                "the stream ends at byte %d, but its header announces %d longs, %d bytes in all",
                before + done + read,
                length / 8,
                before + length));
      }
      chunks.add(chunk);
    }
    return chunks;
  }

  /** Reads the bytes of a header, all of them. */
  static ByteBuffer header(InputStream in, int length, String format) throws IOException {
    byte[] header = in.readNBytes(length);
    if (header.length < length) {
      throw new CorruptFilterException(
          String.format(
              "the stream ends at byte %s, inside the %s bytes of %s header",
              header.length, length, format));
    }
    return ByteBuffer.wrap(header);
  }

  /** Writes all words. */
  static void write(HeapWords words, ByteOrder order, OutputStream out) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate((int) Math.min(CHUNK, words.count() * 8)).order(order);
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
