package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import io.woodbird.words.WordSource;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The bytes of a stored filter: header, data words, and the checksums that prove them intact. */
public final class StoredFile implements WordSource, AutoCloseable {
  /*
   * The header and the page table are checked when the file is opened. A page is checked when a
   * "not here" needs it for the first time. A page that fails proves no "not here".
   *
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
   * exists after they were read (proven). To find out, one word is read again, by a bulk copy into
   * zeroed memory: the JVM guards bulk copies. This takes some hundred instructions per "not here",
   * so a core can overlap the cache misses of fewer questions. A batch checks the length of the
   * file instead, once for all its keys (whole): a file has its new length before it loses its
   * first page.
   */

  /** The most data that can be opened, just under 8 TiB: pages are counted by an int. */
  static final long MAX_DATA_BYTES = (long) Integer.MAX_VALUE * Header.PAGE_BYTES;

  /** Words of the header: the seed, and the word whose upper half is the checksum. */
  private static final int SEED_WORD = 2;

  private static final int CRC_WORD = 31;

  /**
   * The states of 2^16 pages (256 MiB of data) share an array, which is allocated when the first of
   * them is checked.
   */
  private static final int ROW_SHIFT = 16;

  private static final byte UNKNOWN = 0;
  private static final byte GOOD = 1;
  private static final byte BAD = 2;

  private final Header header;
  private final BufferWords bytes;
  private final BufferWords words;
  private final long length;
  private final boolean mayVanish;
  private final @Nullable RandomAccessFile source;
  private final int headerCrc;
  private final long seedWord;
  private final long crcWord;
  private final long footerAt;
  private final long footerWord;
  private final int pages;
  private final byte[][] pageStates;
  private final ThreadLocal<long[]> scratch = ThreadLocal.withInitial(() -> new long[1]);
  private volatile boolean closed;
  private volatile boolean overwritten;

  /** Whether the file is closed, or known to be truncated or overwritten. */
  private volatile boolean ended;

  /**
   * Checks header and page table.
   *
   * @param mayVanish whether the bytes may be a mapped file
   * @param source the file, if this library mapped it
   */
  StoredFile(BufferWords bytes, long length, boolean mayVanish, @Nullable RandomAccessFile source)
      throws CorruptFilterException {
    this.bytes = bytes;
    this.words = bytes.from(Header.BYTES);
    this.length = length;
    this.mayVanish = mayVanish;
    this.source = source;
    if (length < Header.BYTES) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "cut short: %,d bytes, less than the header's %d",
              length,
              Header.BYTES));
    }
    byte[] head = new byte[Header.BYTES];
    bytes.copy(0, head, head.length);
    this.header = Header.decode(ByteBuffer.wrap(head));
    this.headerCrc = Header.storedCrc(ByteBuffer.wrap(head));
    long expected = FileWriter.sizeInBytes(header.dataBytes());
    if (length != expected) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "%s: %,d bytes where the header says %,d",
              length < expected ? "cut short" : "too long",
              length,
              expected));
    }
    if (header.dataBytes() > MAX_DATA_BYTES) {
      throw new CorruptFilterException(
          String.format(Locale.ROOT, "%,d bytes of data: too many to be opened", length));
    }
    this.pages = (int) PageTable.pages(header.dataBytes());
    this.pageStates = new byte[(pages >>> ROW_SHIFT) + 1][];
    this.seedWord = littleEndian(head).getLong(8 * SEED_WORD);
    this.crcWord = littleEndian(head).getLong(8 * CRC_WORD);
    // The footer may begin inside a word, whose low half is then the checksum of the last page.
    this.footerAt = (length - FileWriter.FOOTER_BYTES) >>> 3;
    byte[] footer = new byte[8];
    bytes.copy(8 * footerAt, footer, footer.length);
    this.footerWord = littleEndian(footer).getLong(0);
    checkTable();
  }

  /** Returns the header, which describes the data. */
  public Header header() {
    return header;
  }

  /** Returns a data word, or zero if {@link #ended} is true. */
  @Override
  public long get(long word) {
    return ended() ? 0 : words.get(word);
  }

  /**
   * Returns the data words for fast reads. Call {@link #ended} before you read them, and prove a
   * "not here" afterwards.
   */
  public BufferWords words() {
    return words;
  }

  /**
   * Whether the file is known to be truncated or overwritten, so that nothing more may be read.
   *
   * @throws IllegalStateException if it is closed
   */
  public boolean ended() {
    if (ended && closed) {
      throw new IllegalStateException("the filter is closed");
    }
    return ended;
  }

  /** Whether the bytes may be a mapped file, which another process may truncate or overwrite. */
  public boolean mayVanish() {
    return mayVanish;
  }

  /** Whether the page of this word is intact and was really read before this call. */
  public boolean proven(long word) {
    return pageGood(word) && pageThere(word);
  }

  /** Whether the page of this word has the right checksum. */
  public boolean pageGood(long word) {
    return pageGoodBit(word) != 0;
  }

  /** Returns 1 if the page of this word has the right checksum, else 0; no branch on the answer. */
  public int pageGoodBit(long word) {
    int page = (int) (word / (Header.PAGE_BYTES / 8));
    int state = stateOf(page);
    return (state == UNKNOWN ? checkPage(page) : state) & GOOD;
  }

  private int stateOf(int page) {
    byte[] row = pageStates[page >>> ROW_SHIFT];
    return row == null ? UNKNOWN : row[page & (1 << ROW_SHIFT) - 1];
  }

  private void setState(int page, byte state) {
    byte[] row = pageStates[page >>> ROW_SHIFT];
    if (row == null) {
      synchronized (pageStates) {
        row = pageStates[page >>> ROW_SHIFT];
        if (row == null) {
          int first = page >>> ROW_SHIFT << ROW_SHIFT;
          row = new byte[Math.min(1 << ROW_SHIFT, pages - first)];
          pageStates[page >>> ROW_SHIFT] = row;
        }
      }
    }
    row[page & (1 << ROW_SHIFT) - 1] = state;
  }

  /**
   * Throws if one of the first words is in a damaged page.
   *
   * @param what the name of these words, for the message
   */
  public void requireGood(long firstWords, String what) throws CorruptFilterException {
    for (long word = 0; word < firstWords; word += Header.PAGE_BYTES / 8) {
      if (!pageGood(word)) {
        throw new CorruptFilterException("the " + what + " is damaged: " + doubts());
      }
    }
  }

  /** Checks the page of this word again, also if it was good before. */
  public boolean recheck(long word) {
    return checkPage((int) (word / (Header.PAGE_BYTES / 8))) == GOOD;
  }

  /** Whether a word or a neighbour is zero: a wiped range may begin inside a word. */
  public boolean nearZero(long word) {
    return words.get(word) == 0
        || words.get(word - 1) == 0 // Word -1 is the end of the header.
        || (8 * word + 8 < header.dataBytes() && words.get(word + 1) == 0);
  }

  /** Whether the page of this word can still be read, so that earlier reads of it were real. */
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

  /**
   * Whether the file has not been overwritten, so that all reads before this call were reads of the
   * file that was opened. Once false, it stays false.
   */
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

  /** Whether the file is as it was opened, so that all reads before this call were real. */
  public boolean whole() {
    return !mayVanish || (hasItsLength() && unchanged());
  }

  /** Whether the file still has its length; false also if the length is unknown. */
  private boolean hasItsLength() {
    try {
      if (source == null || source.length() == length) {
        return source != null && !closed; // If closed, the length may be that of another file.
      }
      ended = true; // No more reads: each read of a missing page would fault again.
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the file is known to be truncated. */
  public boolean cut() {
    boolean cut = source != null && !hasItsLength();
    if (cut && closed) { // Not truncated: only the descriptor is closed.
      throw new IllegalStateException("the filter is closed");
    }
    return cut;
  }

  private int checkPage(int page) {
    long from = (long) page * Header.PAGE_BYTES;
    return checkPage(page, new byte[(int) Math.min(Header.PAGE_BYTES, header.dataBytes() - from)]);
  }

  private int checkPage(int page, byte[] buffer) {
    byte state = crcFits(page, buffer) ? GOOD : BAD;
    setState(page, state);
    return state;
  }

  private boolean crcFits(int page, byte[] buffer) {
    long from = (long) page * Header.PAGE_BYTES;
    int length = (int) Math.min(Header.PAGE_BYTES, header.dataBytes() - from);
    byte[] crc = new byte[4];
    try {
      bytes.copy(Header.BYTES + from, buffer, length);
      bytes.copy(Header.BYTES + header.dataBytes() + 4L * page, crc, 4);
    } catch (InternalError e) {
      return false;
    }
    ByteBuffer data = ByteBuffer.wrap(buffer, 0, length);
    return littleEndian(crc).getInt(0) == PageTable.crc(headerCrc, page, data);
  }

  /** Checks the page table and the footer. */
  private void checkTable() throws CorruptFilterException {
    CRC32C crc = new CRC32C();
    long from = Header.BYTES + header.dataBytes();
    long left = 4L * pages;
    byte[] part = new byte[(int) Math.min(left, 1 << 16)];
    while (left > 0) {
      int count = (int) Math.min(left, part.length);
      bytes.copy(from, part, count);
      crc.update(part, 0, count);
      from += count;
      left -= count;
    }
    byte[] footer = new byte[FileWriter.FOOTER_BYTES];
    bytes.copy(from, footer, footer.length);
    ByteBuffer end = littleEndian(footer);
    if (end.getLong(8) != FileWriter.END_MAGIC || end.getInt(4) != headerCrc) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT, "the footer (from byte %,d on) is damaged or not of this file", from));
    }
    if (end.getInt(0) != (int) crc.getValue()) {
      throw new CorruptFilterException(
          String.format(
              Locale.ROOT,
              "the page table (from byte %,d on) is damaged: wrong checksum",
              Header.BYTES + header.dataBytes()));
    }
  }

  /** Checks every page now. */
  public void verify() throws CorruptFilterException {
    if (closed) {
      throw new IllegalStateException("the filter is closed");
    }
    byte[] buffer = new byte[Header.PAGE_BYTES];
    for (int page = 0; page < pages; page++) {
      checkPage(page, buffer);
    }
    List<String> doubts = doubts();
    if (!doubts.isEmpty()) {
      throw new CorruptFilterException(String.join("; ", doubts));
    }
  }

  /**
   * Copies data, and throws if the copy is not what was written.
   *
   * @param offset where a page begins
   */
  public void copyData(long offset, ByteBuffer target) throws CorruptFilterException {
    byte[] buffer = new byte[Header.PAGE_BYTES];
    for (long from = offset; target.hasRemaining(); from += Header.PAGE_BYTES) {
      if (closed) {
        throw new IllegalStateException("the filter is closed");
      }
      if (checkPage((int) (from / Header.PAGE_BYTES), buffer) != GOOD) {
        throw new CorruptFilterException(String.join("; ", doubts()));
      }
      target.put(buffer, 0, Math.min(Header.PAGE_BYTES, target.remaining()));
    }
    if (!unchanged()) {
      throw new CorruptFilterException(String.join("; ", doubts()));
    }
  }

  /** Returns what is known to be wrong with the file. */
  public List<String> doubts() {
    List<String> doubts = new ArrayList<>();
    if (!unchanged() && overwritten) {
      doubts.add("the file was overwritten while it was open");
    } else if (cut()) {
      doubts.add("the file was cut short while it was open");
    }
    int bad = 0;
    long first = -1;
    for (int page = 0; page < pages; page++) {
      if (stateOf(page) == BAD) {
        bad++;
        first = first < 0 ? page : first;
      }
    }
    if (bad > 0) {
      long from = Header.BYTES + first * Header.PAGE_BYTES;
      doubts.add(
          String.format(
              Locale.ROOT,
              "%,d of %,d pages damaged, the first at bytes %,d to %,d",
              bad,
              pages,
              from,
              from + Header.PAGE_BYTES - 1));
    }
    return List.copyOf(doubts);
  }

  /**
   * Ends the use of the file and closes its descriptor. The mapping itself is released when the
   * garbage collector finds it unused.
   */
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

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
