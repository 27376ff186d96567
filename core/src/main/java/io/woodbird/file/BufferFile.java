package io.woodbird.file;

import io.woodbird.words.BufferWords;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A stored filter in buffers: a mapped file, or memory of the caller. */
final class BufferFile extends StoredFile {
  /*
   * Another process may overwrite a mapped file, as cp does. Then the words belong to another
   * filter, perhaps with another seed. So after the words of a "not here" were read, the header and
   * the footer in the mapping are compared with those that were opened (unchanged). A tool that
   * overwrites from the beginning changes the header first. Filters of one size and seed have the
   * same header, but not the same footer, which has a checksum over all pages. If the tool empties
   * the file first, the footer is missing until all is written. One case is not noticed: a tool
   * overwrites words under the same header without emptying the file, and has not yet come to the
   * footer.
   *
   * Another process may truncate a mapped file at any time. Then a read returns zeros or, past the
   * last page that is left, whatever was in the register before: the JVM skips the read and throws
   * an InternalError some time later. So a "not here" counts only if the page of its words still
   * exists after they were read (pageThere). To find out, one word is read again, by a bulk copy
   * into zeroed memory: the JVM guards bulk copies. This takes some hundred instructions per "not
   * here", so a core can overlap the cache misses of fewer questions. A batch checks the length of
   * the file instead, once for all its keys (whole): a file has its new length before it loses its
   * first page.
   */

  /** Words of the header: the seed, and the word whose upper half is the checksum. */
  private static final int SEED_WORD = 2;

  private static final int CRC_WORD = 31;

  private final BufferWords bytes;
  private final BufferWords words;
  private final boolean mayVanish;
  private final @Nullable RandomAccessFile source;
  private final long seedWord;
  private final long crcWord;
  private final long footerAt;
  private final long footerWord;
  private final ThreadLocal<long[]> scratch = ThreadLocal.withInitial(() -> new long[1]);
  private volatile boolean closed;
  private volatile boolean overwritten;

  /** Whether the file is closed, or known to be truncated or overwritten. */
  private volatile boolean ended;

  /**
   * Checks all but the data. The bytes may be a mapped file, and the source is that file if this
   * library mapped it.
   */
  static BufferFile of(
      BufferWords bytes,
      long length,
      boolean mayVanish,
      @Nullable RandomAccessFile source,
      OpenRules rules)
      throws IOException {
    FileFrame frame = new FileFrame(bytes::copy, length, rules);
    return new BufferFile(bytes, bytes.from(frame.dataAt()), frame, mayVanish, source);
  }

  private BufferFile(
      BufferWords bytes,
      BufferWords words,
      FileFrame frame,
      boolean mayVanish,
      @Nullable RandomAccessFile source) {
    super(frame, null, words);
    this.bytes = bytes;
    this.words = words;
    this.mayVanish = mayVanish;
    this.source = source;
    this.seedWord = wordAt(8L * SEED_WORD);
    this.crcWord = wordAt(8L * CRC_WORD);
    // The last eight bytes: the checksums of all pages and of the header. They may begin inside a
    // word, whose low half is then a part of the end mark.
    this.footerAt = (frame.length() - 8) >>> 3;
    this.footerWord = wordAt(8 * footerAt);
  }

  private long wordAt(long at) {
    byte[] word = new byte[8];
    bytes.copy(at, word, word.length);
    return Bytes.wrap(word).getLong(0);
  }

  @Override
  public byte[] reference() throws IOException {
    return frame().reference(bytes::copy);
  }

  @Override
  byte @Nullable [] signature() throws IOException {
    return frame().signature(bytes::copy);
  }

  @Override
  public boolean ended() {
    if (ended) {
      requireOpen();
    }
    return ended;
  }

  @Override
  public boolean mayVanish() {
    return mayVanish;
  }

  @Override
  public boolean isInMemory() {
    return !mayVanish;
  }

  @Override
  int check(int page, int state) {
    if (state == PageStates.UNKNOWN) {
      return verify(page, new byte[frame().pageBytes(page)]) ? PageStates.GOOD : PageStates.BAD;
    }
    return state;
  }

  @Override
  boolean verify(int page, byte[] buffer) {
    boolean good = fits(page, buffer, bytes::copy);
    states().set(page, good ? PageStates.GOOD : PageStates.BAD);
    return good;
  }

  @Override
  public boolean recheck(long word) {
    int page = (int) (word / (Header.PAGE_BYTES / 8));
    return verify(page, new byte[frame().pageBytes(page)]);
  }

  /** Whether a word or a neighbour is zero: a wiped range may begin inside a word. */
  @Override
  public boolean nearZero(long word) {
    return words.get(word) == 0
        || (word > 0 && words.get(word - 1) == 0)
        || (8 * word + 8 < header().dataBytes() && words.get(word + 1) == 0);
  }

  @Override
  public long systemPage(long word) {
    return source == null ? word : super.systemPage(word); // A buffer may begin anywhere.
  }

  @Override
  public boolean pageThere(long word) {
    if (!mayVanish) {
      return true;
    }
    if (ended) {
      return false; // The reads before this call may not have seen the file's words.
    }
    long[] copy = scratch.get();
    copy[0] = 0;
    try {
      words.copyWord(word, copy);
    } catch (InternalError e) { // The JVM throws it where a mapped page no longer exists.
      cut(); // Sets ended.
      return false;
    }
    return copy[0] != 0 || recheck(word);
  }

  @Override
  public boolean unchanged() {
    if (!mayVanish) {
      return true;
    }
    if (ended) {
      return false;
    }
    VarHandle.loadLoadFence(); // The caller's words are read before the header and the footer.
    long[] copy = scratch.get();
    try {
      boolean same = bytes.get(SEED_WORD) == seedWord && bytes.get(CRC_WORD) == crcWord;
      bytes.copyWord(footerAt, copy);
      if (same && copy[0] == footerWord) {
        return true;
      }
    } catch (InternalError e) {
      cut(); // Sets ended.
      return false;
    }
    if (!cut()) {
      overwritten = true;
      ended = true;
    }
    return false;
  }

  @Override
  public boolean whole() {
    return !mayVanish || (hasItsLength() && unchanged());
  }

  /** Whether the file still has its length; false also if the length is unknown. */
  private boolean hasItsLength() {
    try {
      if (source == null || source.length() == frame().length()) {
        return source != null && !closed; // If closed, the length may be that of another file.
      }
      ended = true; // No more reads: each read of a missing page would fault again.
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public boolean cut() {
    boolean cut = source != null && !hasItsLength();
    if (cut) { // Or only closed.
      requireOpen();
    }
    return cut;
  }

  @Override
  @Nullable String change() {
    if (!unchanged() && overwritten) {
      return "the file was overwritten while it was open";
    }
    return cut() ? "the file was cut short while it was open" : null;
  }

  @Override
  boolean isClosed() {
    return closed;
  }

  /** The mapping itself is released when the garbage collector finds it unused. */
  @Override
  public void close() {
    closed = true;
    ended = true;
    if (source != null) {
      try {
        source.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // Unlikely: the file was only read.
      }
    }
  }
}
