package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** An append-only file of hashes: what was put since the filter's file was last written. */
public final class Journal implements AutoCloseable {
  /*
   *   header  u64 magic, u32 CRC32C of the filter's header, u32 CRC32C of these first 12 bytes
   *   frame   u32 magic, u32 count, u64 synced, count x u64 hash, u32 CRC32C of all before, u32 zero
   *
   * "synced" is how many bytes of the file were known to be on disk when the frame was written. After
   * a crash the end may be torn: what does not check is dropped, unless a later frame proves that it
   * had been on disk; then the file is damaged and that is an error. Putting a hash twice changes
   * nothing, so frames may be replayed more than once, in any order.
   */
  private static final long MAGIC = 0x0a0d_4c4e_524a_5789L;
  private static final int FRAME_MAGIC = 0x314d_5246;
  private static final int HEADER_BYTES = 16;
  private static final int FRAME_HEAD_BYTES = 16;
  private static final int FRAME_TAIL_BYTES = 8;
  private static final int FRAME_HASHES = 8000;

  private final FileChannel channel;
  private final ByteBuffer frame =
      ByteBuffer.allocateDirect(FRAME_HEAD_BYTES + 8 * FRAME_HASHES + FRAME_TAIL_BYTES)
          .order(ByteOrder.LITTLE_ENDIAN);

  /** Guards frame, written and appended. */
  private final Object append = new Object();

  /** Guards force; taken before {@link #append}. */
  private final Object force = new Object();

  private long appended;
  private long written;
  private volatile long syncedHashes;
  private volatile long syncedBytes;
  private volatile boolean failed;

  private Journal(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * Makes a new journal, and makes it last.
   *
   * @param filterCrc the checksum of the filter's header
   */
  public static Journal create(Path path, int filterCrc) throws IOException {
    FileChannel channel =
        FileChannel.open(path, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    try {
      Journal journal = new Journal(channel);
      FileWriter.writeFully(header(filterCrc), channel);
      channel.force(true);
      FileWriter.syncFolder(path);
      journal.written = HEADER_BYTES;
      journal.syncedBytes = HEADER_BYTES;
      journal.startFrame();
      return journal;
    } catch (Throwable e) {
      channel.close();
      Files.deleteIfExists(path); // Nothing was put, and the number is needed again.
      throw e;
    }
  }

  private static ByteBuffer header(int filterCrc) {
    ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(MAGIC).putInt(filterCrc);
    header.putInt(crc(header.duplicate().flip()));
    return header.flip();
  }

  /**
   * Appends a hash, not yet on disk.
   *
   * @return the position to give to {@link #sync}
   */
  public long append(long hash) throws IOException {
    synchronized (append) {
      check();
      if (frame.remaining() < 8 + FRAME_TAIL_BYTES) {
        writeFrame();
      }
      frame.putLong(hash);
      return ++appended;
    }
  }

  /** How many hashes were appended. */
  public long appended() {
    synchronized (append) {
      return appended;
    }
  }

  /** Returns when the first {@code position} hashes are on disk; many threads share one fsync. */
  public void sync(long position) throws IOException {
    if (syncedHashes >= position) {
      return;
    }
    synchronized (force) {
      if (syncedHashes >= position) {
        return;
      }
      long hashes;
      long bytes;
      synchronized (append) {
        check();
        if (frame.position() > FRAME_HEAD_BYTES) {
          writeFrame();
        }
        hashes = appended;
        bytes = written;
      }
      try {
        channel.force(false);
      } catch (IOException e) {
        failed = true; // What the disk holds now is unknown, and a second fsync would not tell.
        throw e;
      }
      syncedBytes = bytes;
      syncedHashes = hashes;
    }
  }

  private void check() throws IOException {
    if (failed) {
      throw new IOException("an earlier write to the journal failed; open the filter again");
    }
  }

  private void startFrame() {
    frame.clear().putInt(FRAME_MAGIC).putInt(0).putLong(0);
  }

  private void writeFrame() throws IOException {
    int count = (frame.position() - FRAME_HEAD_BYTES) / 8;
    frame.putInt(4, count).putLong(8, syncedBytes);
    int crc = crc(frame.duplicate().flip());
    frame.putInt(crc).putInt(0).flip();
    int length = frame.limit();
    try {
      FileWriter.writeFully(frame, channel);
    } catch (IOException e) {
      failed = true;
      throw e;
    }
    written += length;
    startFrame();
  }

  /** Closes the file without writing what is not yet written. */
  @Override
  public void close() throws IOException {
    channel.close();
  }

  /**
   * What a replay found.
   *
   * @param hashes how many hashes were replayed
   * @param droppedBytes how many bytes at the end were not whole
   */
  public record Replay(long hashes, long droppedBytes) {}

  /**
   * Reads a journal and hands on its hashes.
   *
   * @throws CorruptFilterException if what was once on disk is damaged, or belongs to another
   *     filter
   */
  public static Replay replay(Path path, int filterCrc, LongConsumer hashes) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      long length = channel.size();
      ByteBuffer header = read(channel, 0, HEADER_BYTES);
      boolean whole =
          header.limit() == HEADER_BYTES
              && header.getLong(0) == MAGIC
              && header.getInt(12) == crc(header.duplicate().limit(12));
      if (!whole && length <= HEADER_BYTES) {
        return new Replay(0, length); // Made, but never finished: nothing was put.
      }
      if (!whole) {
        throw new CorruptFilterException(path + ": not a journal, or its header is damaged");
      }
      if (header.getInt(8) != filterCrc) {
        throw new CorruptFilterException(
            path + ": the journal of another filter; move it away if it is not needed");
      }
      return replayFrames(path, channel, length, hashes);
    }
  }

  private static Replay replayFrames(
      Path path, FileChannel channel, long length, LongConsumer hashes) throws IOException {
    long at = HEADER_BYTES;
    long count = 0;
    long firstBad = -1;
    while (at + FRAME_HEAD_BYTES + FRAME_TAIL_BYTES <= length) {
      ByteBuffer frame = frameAt(channel, at, length);
      if (frame == null) {
        firstBad = firstBad < 0 ? at : firstBad;
        at += 8; // Frames are multiples of eight: the next whole one is found.
        continue;
      }
      if (firstBad >= 0 && frame.getLong(8) > firstBad) {
        throw new CorruptFilterException(
            String.format(
                Locale.ROOT, "%s: damaged at byte %,d, which had been on disk", path, firstBad));
      }
      int inFrame = frame.getInt(4);
      for (int i = 0; i < inFrame; i++) {
        hashes.accept(frame.getLong(FRAME_HEAD_BYTES + 8 * i));
      }
      count += inFrame;
      at += frame.limit();
    }
    long end = firstBad >= 0 ? firstBad : at;
    return new Replay(count, length - end);
  }

  /** The frame at a position, or null if there is none that is whole. */
  private static @Nullable ByteBuffer frameAt(FileChannel channel, long at, long length)
      throws IOException {
    ByteBuffer head = read(channel, at, FRAME_HEAD_BYTES);
    if (head.limit() < FRAME_HEAD_BYTES || head.getInt(0) != FRAME_MAGIC) {
      return null;
    }
    int count = head.getInt(4);
    int bytes = FRAME_HEAD_BYTES + 8 * count + FRAME_TAIL_BYTES;
    if (count <= 0 || count > FRAME_HASHES || at + bytes > length) {
      return null;
    }
    ByteBuffer frame = read(channel, at, bytes);
    int crcAt = bytes - FRAME_TAIL_BYTES;
    return frame.limit() == bytes && frame.getInt(crcAt) == crc(frame.duplicate().limit(crcAt))
        ? frame
        : null;
  }

  /** Reads up to {@code count} bytes, fewer at the end of the file. */
  private static ByteBuffer read(FileChannel channel, long at, int count) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(count).order(ByteOrder.LITTLE_ENDIAN);
    while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) >= 0) {
      // Until it is full or the file ends.
    }
    return buffer.flip();
  }

  private static int crc(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }
}
