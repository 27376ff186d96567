package io.woodbird.cli.lines;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Keys and their hashes in temporary files, one file for each range of hashes. */
final class LineSpill implements Closeable {
  /*
   * A record is u64 hash, u64 number, u32 length, then the bytes.
   */
  private static final int HEAD = 20;
  private static final int BUFFER = 1 << 15;

  private final Path folder;
  private final int shift;
  private final @Nullable Part[] parts;

  /** Makes an empty one of {@code 2^partBits} parts. */
  LineSpill(Path folder, int partBits) {
    this.folder = folder;
    this.shift = 64 - partBits;
    this.parts = new Part[1 << partBits];
  }

  private static final class Part {
    private final FileChannel file;
    private ByteBuffer buffer = ByteBuffer.allocate(BUFFER);

    Part(FileChannel file) {
      this.file = file;
    }

    void drain() throws IOException {
      buffer.flip();
      while (buffer.hasRemaining()) {
        file.write(buffer);
      }
      buffer.clear();
    }
  }

  int parts() {
    return parts.length;
  }

  void add(long hash, long number, ByteBuffer key) throws IOException {
    int length = key.remaining();
    int index = (int) (hash >>> 1 >>> (shift - 1));
    Part part = parts[index];
    if (part == null) {
      part = new Part(ScratchFile.open(folder, "lines"));
      parts[index] = part;
    }
    if (part.buffer.remaining() < HEAD + length) {
      part.drain();
      if (BUFFER < HEAD + length) {
        part.buffer = ByteBuffer.allocate(HEAD + length);
      }
    }
    part.buffer.putLong(hash).putLong(number).putInt(length).put(key);
    if (part.buffer.capacity() > BUFFER) {
      part.drain();
      part.buffer = ByteBuffer.allocate(BUFFER);
    }
  }

  /** Reads a part from its beginning; nothing may be added any more. */
  Reader read(int index) throws IOException {
    Part part = parts[index];
    if (part == null) {
      return new Reader(null);
    }
    part.drain();
    return new Reader(part.file);
  }

  /** The records of a part. */
  static final class Reader {
    private final @Nullable FileChannel file;
    private ByteBuffer buffer = ByteBuffer.allocate(1 << 18).flip();
    private long position;
    private long hash;
    private long number;
    private int from;
    private int length;

    Reader(@Nullable FileChannel file) {
      this.file = file;
    }

    /** Goes on to the next record. */
    boolean next() throws IOException {
      if (!need(HEAD)) {
        return false;
      }
      hash = buffer.getLong();
      number = buffer.getLong();
      length = buffer.getInt();
      if (!need(length)) {
        throw new IOException("the temporary file became shorter");
      }
      from = buffer.position();
      buffer.position(from + length);
      return true;
    }

    private boolean need(int bytes) throws IOException {
      if (buffer.remaining() >= bytes) {
        return true;
      }
      if (file == null) {
        return false;
      }
      if (buffer.capacity() < bytes) {
        ByteBuffer larger = ByteBuffer.wrap(Arrays.copyOf(buffer.array(), 2 * bytes));
        buffer = larger.limit(buffer.limit()).position(buffer.position());
      }
      buffer.compact();
      int read = 0;
      while (read >= 0 && buffer.position() < bytes) {
        read = file.read(buffer, position);
        position += Math.max(0, read);
      }
      buffer.flip();
      return buffer.remaining() >= bytes;
    }

    long hash() {
      return hash;
    }

    long number() {
      return number;
    }

    byte[] bytes() {
      return buffer.array();
    }

    int from() {
      return from;
    }

    int length() {
      return length;
    }
  }

  @Override
  public void close() throws IOException {
    for (Part part : parts) {
      if (part != null) {
        part.file.close();
      }
    }
  }
}
