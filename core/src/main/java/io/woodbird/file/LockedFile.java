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
   *
   * A RandomAccessFile reads the number of its descriptor, and then calls the system. If it is closed in
   * between, the system may have given the number to another file or socket, and the call would move
   * or consume that. So it is closed under the lock: by close(), or by the thread that reads when
   * close() is called, as soon as it is done.
   */
  private final RandomAccessFile file;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile boolean closed;

  LockedFile(RandomAccessFile file) {
    this.file = file;
  }

  /** Reads as many bytes as are wanted, or throws. */
  void read(long from, byte[] target, int length) throws IOException {
    lock.lock();
    try {
      requireOpen();
      file.seek(from);
      file.readFully(target, 0, length);
    } finally {
      unlock();
    }
  }

  long length() throws IOException {
    lock.lock();
    try {
      requireOpen();
      return file.length();
    } finally {
      unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the file is closed");
    }
  }

  private void unlock() throws IOException {
    lock.unlock();
    if (closed) {
      close(); // It was called meanwhile, and did not wait.
    }
  }

  /** Does not wait for a thread that reads; that thread closes the file when it is done. */
  void close() throws IOException {
    closed = true;
    if (lock.tryLock()) {
      try {
        file.close();
      } finally {
        lock.unlock();
      }
    }
  }
}
