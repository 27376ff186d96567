package io.woodbird.cli.lines;

import io.woodbird.cli.say.BlockInput;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/** A stream that a second thread reads some blocks ahead of the reader. */
final class ReadAhead extends BlockInput {
  /*
   * For decompression, which takes about as long as hashing the lines: with two threads, a file takes
   * no longer than "zstdcat FILE |". A block is handed over as soon as a read returns, full or not, so
   * that lines of a slow pipe are not held back.
   *
   * Only the thread touches the stream, and closes it: a decompressor must not be closed while it
   * works. A thread that waits for a pipe when this is closed goes on waiting; it does not keep the
   * process alive.
   */
  private static final int BLOCKS = 4;
  private static final int BLOCK = 1 << 18;

  private final InputStream in;
  private final byte[][] blocks = new byte[BLOCKS][BLOCK];
  private final int[] lengths = new int[BLOCKS];

  // Guarded by this. Blocks from taken to filled, counted without end, hold data.
  private long filled;
  private long taken;
  private boolean ended;
  private boolean closed;
  private @Nullable Throwable failure;

  /** How much of the first block was read; only the reader knows. */
  private int at;

  ReadAhead(InputStream in) {
    this.in = in;
    Thread thread = new Thread(this::run, "woodbird-read-ahead");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (InputStream closing = in) {
      byte[] block = freeBlock();
      while (block != null) {
        int read = closing.read(block, 0, BLOCK);
        if (read < 0) {
          break;
        }
        add(read);
        block = freeBlock();
      }
    } catch (Throwable e) { // Thrown again by the reader.
      end(e);
      return;
    }
    end(null);
  }

  /** Waits for a free block; null if this stream was closed. */
  private synchronized byte @Nullable [] freeBlock() throws InterruptedException {
    while (!closed && filled - taken == BLOCKS) {
      wait();
    }
    return closed ? null : blocks[(int) (filled % BLOCKS)];
  }

  private synchronized void add(int length) {
    lengths[(int) (filled % BLOCKS)] = length;
    filled++;
    notifyAll();
  }

  private synchronized void end(@Nullable Throwable e) {
    ended = true;
    failure = e;
    notifyAll();
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!awaitData()) {
      return -1;
    }
    // No lock: the thread does not touch a block before the reader has released it.
    int index = (int) (taken % BLOCKS);
    int read = Math.min(length, lengths[index] - at);
    System.arraycopy(blocks[index], at, into, offset, read);
    at += read;
    if (at == lengths[index]) {
      release();
    }
    return read;
  }

  /** Waits until a block has data; false at the end. */
  private synchronized boolean awaitData() throws IOException {
    while (filled == taken && !ended) {
      try {
        wait();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
    if (filled > taken) {
      return true;
    }
    if (failure instanceof IOException e) {
      throw e;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    if (failure != null) {
      throw new UncheckedIOException(new IOException(failure));
    }
    return false;
  }

  private synchronized void release() {
    taken++;
    at = 0;
    notifyAll();
  }

  /** At least 1 if the next read does not wait. */
  @Override
  public synchronized int available() {
    return filled > taken ? lengths[(int) (taken % BLOCKS)] - at : ended ? 1 : 0;
  }

  @Override
  public synchronized void close() {
    closed = true;
    notifyAll();
  }
}
