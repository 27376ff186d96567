package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** Reads a journal after its writer has ended, normally or by a crash. */
public final class JournalReader {
  /** Must hold the largest frame, which has 64,016 bytes. */
  private static final int WINDOW_BYTES = 1 << 18;

  private static final int LEAST_FRAME = Journal.FRAME_HEAD_BYTES + 8 + Journal.FRAME_TAIL_BYTES;

  private final Path path;
  private final RandomAccessFile file;
  private final long length;
  private final ByteBuffer expectedHeader;
  private final int id;

  /** A part of the file, so that reading eight bytes needs no system call. */
  private final byte[] windowBytes = new byte[WINDOW_BYTES];

  private final ByteBuffer window = Bytes.wrap(windowBytes).limit(0);

  private final ByteBuffer frame = window.duplicate();
  private long windowAt;

  private JournalReader(Path path, RandomAccessFile file, long number, int filterCrc)
      throws IOException {
    this.path = path;
    this.file = file;
    this.length = file.length();
    this.expectedHeader = Journal.header(number, filterCrc);
    this.id = expectedHeader.getInt(Journal.HEADER_CRC_AT);
  }

  /**
   * What was found in a journal.
   *
   * @param unfinished whether the writer ended while it created the journal; then it has no hashes
   * @param hashes how many hashes the consumer received
   * @param droppedBytes how many bytes belong to no intact frame
   * @param ended whether a later journal follows
   * @param loss which bytes that were promised to be safe are missing, or null if none are
   */
  public record Replay(
      boolean unfinished, long hashes, long droppedBytes, boolean ended, @Nullable String loss) {}

  /**
   * Reads a journal and passes the hashes of all intact frames to a consumer. Throws if it is not
   * the one with this number of the filter whose header has this checksum.
   */
  public static Replay replay(Path path, long number, int filterCrc, LongConsumer hashes)
      throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
      return new JournalReader(path, file, number, filterCrc).replay(hashes);
    }
  }

  private Replay replay(LongConsumer hashes) throws IOException {
    long safe = 0;
    boolean ended = false;
    boolean headed = isHeaded();
    for (int i = 1; i <= 2; i++) {
      ByteBuffer mark = copy((long) i * Journal.MARK_AT, Journal.MARK_BYTES);
      if (mark.remaining() == Journal.MARK_BYTES
          && mark.equals(Journal.mark(id, mark.getLong(0), mark.getInt(8) != 0))) {
        safe = Math.max(safe, mark.getLong(0));
        ended |= mark.getInt(8) != 0;
      }
    }
    boolean whole = headed && safe > 0;
    if (!whole && length <= Journal.FRAMES_AT) {
      return new Replay(true, 0, length, false, null);
    }
    Replay frames = replayFrames(safe, ended, hashes);
    String loss = whole ? frames.loss : path + ": not a journal, or its header is damaged";
    return new Replay(false, frames.hashes, frames.droppedBytes, ended, loss);
  }

  /** Whether the header is that of the expected journal. */
  private boolean isHeaded() throws IOException {
    ByteBuffer header = copy(0, Journal.HEADER_BYTES);
    if (header.equals(expectedHeader)) {
      return true;
    }
    int crcAt = Journal.HEADER_CRC_AT;
    boolean whole =
        header.remaining() == Journal.HEADER_BYTES
            && header.getLong(0) == expectedHeader.getLong(0)
            && header.getInt(crcAt) == Bytes.crc(header.duplicate().limit(crcAt));
    if (whole) {
      throw new CorruptFilterException(
          path + ": the journal of another filter; move it away if it is not needed");
    }
    return false;
  }

  /** Copies up to {@code count} bytes, fewer at the end of the file. */
  private ByteBuffer copy(long at, int count) throws IOException {
    byte[] bytes = new byte[(int) Math.max(0, Math.min(count, length - at))];
    file.seek(at);
    file.readFully(bytes);
    return Bytes.wrap(bytes);
  }

  /**
   * Reads the frames. Where no frame begins, the search goes on eight bytes further, as the length
   * of every frame is a multiple of eight. A frame with a wrong checksum is skipped as a whole. So
   * every byte is read about once, whatever the bytes are.
   */
  private Replay replayFrames(long safe, boolean ended, LongConsumer hashes) throws IOException {
    long at = Journal.FRAMES_AT;
    long count = 0;
    long dropped = 0;
    long firstBad = Long.MAX_VALUE;
    while (at + LEAST_FRAME <= length) {
      int bytes = frameBytes(at);
      int from = load(at, bytes);
      if (bytes >= LEAST_FRAME && isWhole(at, from, bytes)) {
        int inFrame = window.getInt(from + 4);
        for (int i = 0; i < inFrame; i++) {
          hashes.accept(window.getLong(from + Journal.FRAME_HEAD_BYTES + 8 * i));
        }
        count += inFrame;
      } else {
        firstBad = Math.min(firstBad, at);
        dropped += bytes;
      }
      at += bytes;
    }
    dropped += Math.max(0, length - at);
    long end = Math.min(firstBad, Math.min(at, length));
    return new Replay(false, count, dropped, ended, end < safe ? loss(end, safe) : null);
  }

  private String loss(long end, long safe) {
    return length < safe
        ? String.format(
            Locale.ROOT, "%s: cut short: %,d bytes where %,d had been on disk", path, length, safe)
        : String.format(Locale.ROOT, "%s: damaged at byte %,d, which had been on disk", path, end);
  }

  /** Returns the length of the frame that begins at a position, or eight if none does. */
  private int frameBytes(long at) throws IOException {
    int from = load(at, Journal.FRAME_HEAD_BYTES);
    int count = window.getInt(from + 4);
    if (window.getInt(from) != Journal.FRAME_MAGIC || count <= 0 || count > Journal.FRAME_HASHES) {
      return 8;
    }
    int bytes = Journal.FRAME_HEAD_BYTES + 8 * count + Journal.FRAME_TAIL_BYTES;
    return at + bytes <= length ? bytes : 8;
  }

  private boolean isWhole(long at, int from, int bytes) {
    int crcAt = bytes - Journal.FRAME_TAIL_BYTES;
    frame.clear().position(from).limit(from + crcAt);
    return window.getInt(from + crcAt) == Journal.frameCrc(id, at, frame);
  }

  /** Loads bytes of the file into the window, and returns their index in it. */
  private int load(long at, int count) throws IOException {
    if (at < windowAt || at + count > windowAt + window.limit()) {
      windowAt = at;
      window.limit((int) Math.min(WINDOW_BYTES, length - at));
      file.seek(at);
      file.readFully(windowBytes, 0, window.limit());
    }
    return (int) (at - windowAt);
  }
}
