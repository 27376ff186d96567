package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes a file piece by piece before its header is known. The file appears at its path when it is
 * complete, or not at all.
 */
public final class FileBuilder implements AutoCloseable {
  private final TemporaryFile file;
  private final FileChannel channel;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(FileWriter.BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);

  /** Begins a file; the path gets it in {@link #finish}. */
  public FileBuilder(Path path) throws IOException {
    file = TemporaryFile.create(path);
    channel = file.channel();
  }

  /** Writes words of data, the first of them at word {@code firstWord}. */
  public void write(long firstWord, long[] words) throws IOException {
    long at = Header.PAGE_BYTES + 8 * firstWord;
    try {
      for (int from = 0; from < words.length; from += FileWriter.BUFFER_BYTES / 8) {
        int count = Math.min(words.length - from, FileWriter.BUFFER_BYTES / 8);
        buffer.clear();
        for (int i = 0; i < count; i++) {
          buffer.putLong(words[from + i]);
        }
        at = writeAt(at, buffer.flip());
      }
    } catch (IOException e) {
      throw file.about(e);
    }
  }

  /** Adds header, checksums and footer, and renames the file to its path. */
  public void finish(Header header) throws IOException {
    try {
      complete(header);
    } catch (IOException e) {
      throw file.about(e);
    }
  }

  private void complete(Header header) throws IOException {
    PageChecksums checksums = new PageChecksums(header.encode(), header.dataBytes());
    boolean small = Header.dataAt(header.dataBytes()) < Header.PAGE_BYTES;
    for (long offset = 0; offset < header.dataBytes(); offset += FileWriter.BUFFER_BYTES) {
      buffer.clear().limit((int) Math.min(FileWriter.BUFFER_BYTES, header.dataBytes() - offset));
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, Header.PAGE_BYTES + offset + buffer.position()) < 0) {
          throw new IOException("the new file became shorter");
        }
      }
      checksums.add(offset, buffer.flip());
      if (small) { // Moves the data forward, over what was read already.
        writeAt(Header.BYTES + offset, buffer);
      }
    }
    if (small) {
      channel.truncate(Header.BYTES + header.dataBytes());
    }
    writeAt(0, header.encode());
    channel.position(Header.dataAt(header.dataBytes()) + header.dataBytes());
    checksums.writeTo(channel, buffer, List.of());
    file.finish();
  }

  private long writeAt(long at, ByteBuffer bytes) throws IOException {
    long position = at;
    while (bytes.hasRemaining()) {
      position += channel.write(bytes, position);
    }
    return position;
  }

  /** Deletes the file if it was not finished. */
  @Override
  public void close() throws IOException {
    file.close();
  }
}
