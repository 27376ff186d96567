package io.woodbird.file;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.locks.ReentrantLock;

/** A file that many threads read, one at a time; an interrupt does not close it. */
final class LockedFile {
  /*
   * Not a channel, which could be read by several threads at once: an interrupt in one of them would
   * close it for all. Not a monitor: on JDK 21 to 23 a virtual thread that waits for one holds its
   * carrier thread, and the disk may be slow.
   */
  private final RandomAccessFile file;
  private final ReentrantLock lock = new ReentrantLock();

  LockedFile(RandomAccessFile file) {
    this.file = file;
  }

  /** Reads as many bytes as are wanted, or throws. */
  void read(long from, byte[] target, int length) throws IOException {
    lock.lock();
    try {
      file.seek(from);
      file.readFully(target, 0, length);
    } finally {
      lock.unlock();
    }
  }

  long length() throws IOException {
    lock.lock();
    try {
      return file.length();
    } finally {
      lock.unlock();
    }
  }

  /** Does not wait for a thread that reads; that one gets an exception. */
  void close() throws IOException {
    file.close();
  }
}
