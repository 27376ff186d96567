package io.woodbird.cli.lines;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Hashes kept until their number is known: eight bytes a line, in memory up to a limit, then in a
 * temporary file. So a filter is made in one reading of its input, even from a pipe.
 */
public final class HashSpool implements AutoCloseable {
  private static final int BLOCK = 1 << 16;

  private final int mostBlocks;
  private final Path folder;
  private final List<long[]> blocks = new ArrayList<>();
  private long[] open = new long[BLOCK];
  private int openCount;
  private long count;
  private @Nullable FileChannel file;

  public HashSpool(long memory, Path folder) {
    this.mostBlocks = (int) Math.max(1, Math.min(memory / (8L * BLOCK), Integer.MAX_VALUE));
    this.folder = folder;
  }

  public void add(long[] hashes, int number) throws IOException {
    int done = 0;
    while (done < number) {
      int some = Math.min(number - done, BLOCK - openCount);
      System.arraycopy(hashes, done, open, openCount, some);
      openCount += some;
      done += some;
      if (openCount == BLOCK) {
        flush();
      }
    }
    count += number;
  }

  private void flush() throws IOException {
    if (blocks.size() < mostBlocks) {
      blocks.add(open);
      open = new long[BLOCK];
    } else {
      write(open);
    }
    openCount = 0;
  }

  private void write(long[] block) throws IOException {
    FileChannel channel = file;
    if (channel == null) {
      channel = ScratchFile.open(folder, "hashes");
      file = channel;
    }
    ByteBuffer bytes = ByteBuffer.allocate(8 * BLOCK);
    bytes.asLongBuffer().put(block);
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  public long count() {
    return count;
  }

  /** Takes hashes, a block at a time. */
  public interface Taker {
    /** Takes the first {@code number} of these. */
    void take(long[] hashes, int number) throws IOException;
  }

  /** Gives all of them, in the order they came. */
  public void forEach(Taker taker) throws IOException {
    for (long[] block : blocks) {
      taker.take(block, BLOCK);
    }
    FileChannel channel = file;
    if (channel != null) {
      long end = channel.position();
      ByteBuffer bytes = ByteBuffer.allocate(8 * BLOCK);
      long[] block = new long[BLOCK];
      for (long at = 0; at < end; at += 8L * BLOCK) {
        bytes.clear();
        while (bytes.hasRemaining()) {
          if (channel.read(bytes, at + bytes.position()) < 0) {
            throw new IOException("the temporary file became shorter");
          }
        }
        bytes.flip().asLongBuffer().get(block);
        taker.take(block, BLOCK);
      }
    }
    taker.take(open, openCount);
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
