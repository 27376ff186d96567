package io.woodbird.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A new file that stays open when a thread is interrupted while it writes. */
class SteadyFile implements WritableByteChannel {
  /*
   * When a thread is interrupted in a FileChannel, the channel is closed for all threads, and the
   * puts of the others would be lost. A RandomAccessFile ignores interrupts.
   */
  private final RandomAccessFile file;
  private boolean open = true;

  SteadyFile(RandomAccessFile file) {
    this.file = file;
  }

  /** Creates a file; fails if it exists. */
  static SteadyFile create(Path path) throws IOException {
    Files.createFile(path); // A RandomAccessFile would open one that exists.
    try {
      return new SteadyFile(new RandomAccessFile(path.toFile(), "rw"));
    } catch (Throwable e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Writes all bytes of a buffer after those of the last write. */
  @Override
  public int write(ByteBuffer bytes) throws IOException {
    int count = bytes.remaining();
    if (bytes.hasArray()) {
      file.write(bytes.array(), bytes.arrayOffset() + bytes.position(), count);
      bytes.position(bytes.limit());
    } else {
      byte[] copy = new byte[count];
      bytes.get(copy);
      file.write(copy);
    }
    return count;
  }

  /** Writes all bytes of a buffer at a position; the next write continues after them. */
  void writeAt(long at, ByteBuffer bytes) throws IOException {
    file.seek(at);
    write(bytes);
  }

  /** Reads what was written; the next write continues after that. */
  void read(long from, byte[] target, int length) throws IOException {
    file.seek(from);
    file.readFully(target, 0, length);
  }

  long length() throws IOException {
    return file.length();
  }

  /** Returns the channel of the file. An interrupt closes both the channel and the file. */
  FileChannel channel() {
    return file.getChannel();
  }

  /** Returns when all written bytes are on disk. */
  void sync() throws IOException {
    file.getFD().sync();
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() throws IOException {
    open = false;
    file.close();
  }

  /** A task that opens its own channel and can be repeated. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** Runs a task that needs a channel, and repeats it if an interrupt closed the channel. */
  static <T> T uninterrupted(Work<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return work.run();
        } catch (ClosedByInterruptException e) {
          interrupted = true;
          Thread.interrupted(); // Clears the flag, or the next attempt would fail too.
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
