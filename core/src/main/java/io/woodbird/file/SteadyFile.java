package io.woodbird.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A new file to write, which an interrupted thread does not close as it writes. */
final class SteadyFile implements WritableByteChannel {
  /*
   * A FileChannel is closed for all its users when one of them is interrupted, and what was put by
   * the others would be lost. A RandomAccessFile does not look at interrupts.
   */
  private final RandomAccessFile file;
  private boolean open = true;

  private SteadyFile(RandomAccessFile file) {
    this.file = file;
  }

  /** Makes a file that must not exist. */
  static SteadyFile create(Path path) throws IOException {
    Files.createFile(path); // A RandomAccessFile would take one that exists.
    try {
      return new SteadyFile(new RandomAccessFile(path.toFile(), "rw"));
    } catch (Throwable e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  /** Writes all bytes of a buffer at the end of what was written. */
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

  /** Writes all bytes of a buffer at a place; the next write goes on behind them. */
  void writeAt(long at, ByteBuffer bytes) throws IOException {
    file.seek(at);
    write(bytes);
  }

  /** The channel of the file, which an interrupted thread closes together with the file. */
  FileChannel channel() {
    return file.getChannel();
  }

  /** Returns when all that was written is on disk. */
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

  /** Something that opens a channel of its own, and may be done again. */
  interface Work<T> {
    T run() throws IOException;
  }

  /** Does what only a channel can do, again if an interrupt closed the channel. */
  static <T> T uninterrupted(Work<T> work) throws IOException {
    boolean interrupted = Thread.interrupted();
    try {
      while (true) {
        try {
          return work.run();
        } catch (ClosedByInterruptException e) {
          interrupted = true;
          Thread.interrupted(); // Cleared, so that the next round is not closed too.
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
