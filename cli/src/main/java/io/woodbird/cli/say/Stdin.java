package io.woodbird.cli.say;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.concurrent.locks.LockSupport;

/** Stdin as a stream that another thread can end, even while it waits for input. */
public final class Stdin extends BlockInput {
  private static final long NOTHING_YET_NANOS = 1_000_000;

  private final InputStream file;

  /** Unlike the stream, a read of the channel returns when the channel is closed. */
  private final ReadableByteChannel channel;

  /** The stdin of this process. */
  public Stdin() {
    this(new FileInputStream(FileDescriptor.in));
  }

  private Stdin(FileInputStream file) {
    this(file, file.getChannel());
  }

  /** For tests: a file, and a channel of it. */
  Stdin(InputStream file, ReadableByteChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    // In pieces: the channel copies through a buffer of its own that is as large.
    ByteBuffer piece = ByteBuffer.wrap(into, offset, Math.min(length, 1 << 16));
    int read = channel.read(piece);
    while (read == 0 && piece.hasRemaining()) {
      // Another program made the pipe non-blocking, and nothing is there yet. A stream must wait:
      // its readers take 0 bytes for the end.
      LockSupport.parkNanos(NOTHING_YET_NANOS);
      read = channel.read(piece);
    }
    return read;
  }

  @Override
  public int available() throws IOException {
    return file.available();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
