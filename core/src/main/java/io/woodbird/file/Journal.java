package io.woodbird.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** A file of the hashes that were put since the filter's file was last written. */
public final class Journal implements AutoCloseable {
  /*
   *      0  header   u64 magic, u32 CRC32C of the filter's header, u32 number, u32 CRC32C of these
   *    512  mark     u64 safe, u32 ended, u32 CRC32C
   *   1024  mark     the same
   *   1536  frame    u32 magic, u32 count, count x u64 hash, u32 CRC32C, u32 zero
   *         frame    and so on
   *
   * "safe" is how many bytes of the file are known to be on disk. After each fsync it is written
   * into one of the two marks, in turn, and only then the caller learns that the hashes are safe.
   * So all bytes before "safe" were promised and must be intact. The bytes after it may be torn by
   * a crash. The marks are at the beginning, because a file that loses its end must not lose them.
   * Each mark has a sector of its own, so a power cut destroys at most one. "ended" means that a
   * later journal follows.
   *
   * The checksum of a mark includes the checksum of the header. That of a frame also includes the
   * frame's position. So bytes of another journal, or from another position, do not match.
   *
   * Putting a hash twice changes nothing, so frames may be replayed more than once, in any order.
   *
   * A write that ends in any other way than by returning leaves a frame that was written in part, or a
   * disk whose state is unknown. So nothing is written after it, whatever it threw: a native write
   * throws OutOfMemoryError too, and a deep stack StackOverflowError.
   */
  static final int MARK_AT = 512;
  static final int MARK_BYTES = 16;
  static final int FRAMES_AT = 3 * MARK_AT;
  static final int FRAME_MAGIC = 0x314d_5246;
  static final int FRAME_HEAD_BYTES = 8;
  static final int FRAME_TAIL_BYTES = 8;

  /** The most hashes of a frame, which then has 64,016 bytes. Fixed by the format. */
  static final int FRAME_HASHES = 8000;

  static final int HEADER_BYTES = 20;
  static final int HEADER_CRC_AT = 16;

  private static final long MAGIC = 0x0a0d_4c4e_524a_5789L;

  private final SteadyFile file;
  private final int id;
  private final ByteBuffer frame =
      Bytes.allocate(FRAME_HEAD_BYTES + 8 * FRAME_HASHES + FRAME_TAIL_BYTES);

  /** Guards the file's position, frame, written, marks and appended. */
  private final ReentrantLock append = new ReentrantLock();

  /** Guards fsync and close; taken before {@link #append}. */
  private final ReentrantLock force = new ReentrantLock();

  private long appended;
  private long written = FRAMES_AT;
  private long safeBytes = FRAMES_AT;
  private int marks;
  private volatile long safeHashes;
  private volatile boolean failed;

  private Journal(SteadyFile file, int id) {
    this.file = file;
    this.id = id;
    startFrame();
  }

  /**
   * Creates a journal, from 1 to 2^32 - 1, of the filter whose header has this checksum, and forces
   * it to disk.
   */
  public static Journal create(Path path, long number, int filterCrc) throws IOException {
    return create(SteadyFile.create(path), path, number, filterCrc);
  }

  static Journal create(SteadyFile file, Path path, long number, int filterCrc) throws IOException {
    try {
      ByteBuffer head = Bytes.allocate(FRAMES_AT);
      ByteBuffer header = header(number, filterCrc);
      int id = header.getInt(HEADER_CRC_AT);
      head.put(0, header, 0, HEADER_BYTES);
      head.put(MARK_AT, mark(id, FRAMES_AT, false), 0, MARK_BYTES);
      file.write(head);
      file.sync();
      FileWriter.syncFolder(path);
      return new Journal(file, id);
    } catch (Throwable e) {
      file.close();
      Files.deleteIfExists(path); // It holds no hash, and its number will be used again.
      throw e;
    }
  }

  static ByteBuffer header(long number, int filterCrc) {
    ByteBuffer header = Bytes.allocate(HEADER_BYTES);
    header.putLong(MAGIC).putInt(filterCrc).putInt((int) number);
    return header.putInt(Bytes.crc(header.duplicate().flip())).flip();
  }

  static ByteBuffer mark(int id, long safe, boolean ended) {
    ByteBuffer mark = Bytes.allocate(MARK_BYTES);
    mark.putLong(safe).putInt(ended ? 1 : 0);
    int crc = Bytes.crc(Bytes.allocate(4).putInt(id).flip(), mark.duplicate().flip());
    return mark.putInt(crc).flip();
  }

  /** The checksum of a frame's head and hashes. */
  static int frameCrc(int id, long at, ByteBuffer bytes) {
    return Bytes.crc(Bytes.allocate(12).putInt(id).putLong(at).flip(), bytes);
  }

  /** Appends a hash, and returns the position to give to {@link #sync}: only then it is on disk. */
  public long append(long hash) throws IOException {
    append.lock();
    try {
      check();
      if (frame.remaining() < 8 + FRAME_TAIL_BYTES) {
        writeFrame();
      }
      frame.putLong(hash);
      return ++appended;
    } finally {
      append.unlock();
    }
  }

  public long appended() {
    append.lock();
    try {
      return appended;
    } finally {
      append.unlock();
    }
  }

  /** Returns when the first {@code position} hashes are on disk; many threads share one fsync. */
  public void sync(long position) throws IOException {
    if (safeHashes >= position) {
      return;
    }
    force.lock();
    try {
      if (safeHashes >= position) {
        return;
      }
      long hashes;
      long bytes;
      append.lock();
      try {
        check();
        if (frame.position() > FRAME_HEAD_BYTES) {
          writeFrame();
        }
        hashes = appended;
        bytes = written;
      } finally {
        append.unlock();
      }
      file.sync();
      safeBytes = bytes;
      writeMark(false);
      safeHashes = hashes;
    } catch (Throwable e) {
      failed = true; // After an fsync that failed, a second one would report no error.
      throw e;
    } finally {
      force.unlock();
    }
  }

  /**
   * Forces all hashes to disk, then notes that a later journal follows. No hash may be appended
   * afterwards.
   */
  public void end() throws IOException {
    sync(appended());
    force.lock();
    try {
      check();
      writeMark(true);
      file.sync();
    } catch (Throwable e) {
      failed = true;
      throw e;
    } finally {
      force.unlock();
    }
  }

  private void writeMark(boolean ended) throws IOException {
    append.lock();
    try {
      file.writeAt((1 + ++marks % 2) * (long) MARK_AT, mark(id, safeBytes, ended));
    } finally {
      append.unlock();
    }
  }

  /** Throws if an earlier write failed: then nothing more is written. */
  public void check() throws IOException {
    if (failed) {
      throw new IOException("an earlier write to the journal failed; open the filter again");
    }
  }

  private void startFrame() {
    frame.clear().putInt(FRAME_MAGIC).putInt(0);
  }

  private void writeFrame() throws IOException {
    try {
      int count = (frame.position() - FRAME_HEAD_BYTES) / 8;
      frame.putInt(4, count);
      frame.putInt(frameCrc(id, written, frame.duplicate().flip())).putInt(0).flip();
      int length = frame.limit();
      file.writeAt(written, frame);
      written += length;
      startFrame();
    } catch (Throwable e) {
      failed = true; // Under the lock: no other thread appends to what is left of the frame.
      throw e;
    }
  }

  /** Notes that the filter's file now has all appended hashes, so {@link #sync} need not wait. */
  public void superseded() {
    force.lock();
    try {
      safeHashes = appended();
    } finally {
      force.unlock();
    }
  }

  /** Closes the file. Hashes that were not synced are lost. */
  @Override
  public void close() throws IOException {
    force.lock();
    try {
      failed = true;
      file.close();
    } finally {
      force.unlock();
    }
  }
}
