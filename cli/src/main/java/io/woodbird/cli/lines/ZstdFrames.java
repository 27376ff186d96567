package io.woodbird.cli.lines;

import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.woodbird.cli.say.BlockInput;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.zip.ZipException;

/** What the frames of a zstd stream hold, one after another. A frame that is cut short throws. */
final class ZstdFrames extends BlockInput {
  /*
   * Not the stream of zstd-jni: if a frame begins in the bytes that it read with the end of the frame
   * before, it does not notice that the new one is cut short (1.5.7-25). A copy of two small files, one
   * behind the other, could lose nearly all of the second one, and a filter built from it would deny
   * those lines.
   */
  private static final int ROOM = 1 << 17;

  private final InputStream in;
  private final ZstdDecompressCtx context = new ZstdDecompressCtx();
  private final byte[] packed = new byte[ROOM];
  private final ByteBuffer source = ByteBuffer.allocateDirect(ROOM).limit(0);
  private final ByteBuffer target = ByteBuffer.allocateDirect(ROOM).limit(0);
  private boolean inFrame;

  /** Whether the target was filled, so that the context may have more without reading on. */
  private boolean filled;

  ZstdFrames(InputStream in) {
    this.in = in;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!target.hasRemaining()) {
      if (!filled && !source.hasRemaining() && !isMore()) {
        return -1;
      }
      unpack();
    }
    int count = Math.min(length, target.remaining());
    target.get(into, offset, count);
    return count;
  }

  /** Reads further bytes; false at the end, if a frame ends there. */
  private boolean isMore() throws IOException {
    int read = in.read(packed, 0, ROOM);
    if (read < 0 && inFrame) {
      throw new EOFException("it ends too early");
    }
    source.clear().put(packed, 0, Math.max(0, read)).flip();
    return read >= 0;
  }

  private void unpack() throws IOException {
    if (!filled && !source.hasRemaining()) {
      return; // The context would take "nothing" for the beginning of a frame.
    }
    target.clear();
    try {
      inFrame = !context.decompressDirectByteBufferStream(target, source);
    } catch (ZstdException e) {
      ZipException damaged = new ZipException("" + e.getMessage());
      damaged.initCause(e);
      throw damaged;
    } finally {
      filled = inFrame && !target.hasRemaining();
      target.flip();
    }
  }

  @Override
  public void close() throws IOException {
    context.close();
    in.close();
  }
}
