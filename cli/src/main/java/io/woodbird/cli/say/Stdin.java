package io.woodbird.cli.say;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Stdin as a stream that another thread can end, even while it waits for input. */
public final class Stdin extends InputStream {
  private final FileInputStream file = new FileInputStream(FileDescriptor.in);

  /** Unlike the stream, a read of the channel returns when the channel is closed. */
  private final FileChannel channel = file.getChannel();

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    // In pieces: the channel copies through a buffer of its own that is as large.
    int piece = Math.min(length, 1 << 16);
    return piece == 0 ? 0 : channel.read(ByteBuffer.wrap(into, offset, piece));
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
