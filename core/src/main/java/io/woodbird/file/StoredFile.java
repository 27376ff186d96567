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

/**
 * A filter's bytes as they lie in a file: header, data words, and the proof that they are whole.
 */
public final class StoredFile implements WordSource, AutoCloseable {
  /*
   * The header and the page table are checked when the file is opened, a page when a "not here" first
   * rests on it. A page that fails proves nothing ever after.
   *
   * A mapped file may be overwritten by others, as cp does. Then what is read is not what was opened
   * under this seed. So before a "not here" counts, the header and the footer in the mapping are
   * compared with those that were opened, after the words were read (unchanged). A file that is
   * overwritten from its beginning changes its header first; one that has the same header, as filters
   * of one size and seed do, still has another footer, which sums up all pages. If it is emptied
   * first, the footer is missing until all is written. What is not noticed: words that are overwritten
   * without that, under the same header, while the footer is still the old one.
   *
   * A mapped file may be cut short by others at any time. Then a read gives zeros or, past the last
   * page that is left, whatever was in the register before: the JVM skips the read and throws an
   * InternalError some time later. So a "not here" counts only if the page of its words is still there
   * after they were read (proven): one of them is fetched again by a bulk copy into zeroed memory,
   * which the JVM guards. That is some hundred instructions per "not here", which leave room for fewer
   * questions that wait for memory at the same time. A batch asks for the length of the file
   * instead, once for all its keys (whole): a file gets its new length before it loses its first page.
   */
  static final long MAX_DATA_BYTES = (long) Integer.MAX_VALUE * Header.PAGE_BYTES;

  /** Words of the header: the seed, and one that ends with the checksum. */
  private static final int SEED_WORD = 2;

  private static final int CRC_WORD = 31;

  /** Pages whose states lie in one array, which is made when one of them is checked: 256 MiB. */
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

  /** Closed, cut or overwritten. */
  private volatile boolean ended;

  /**
   * Checks header and page table.
   *
   * @param mayVanish whether the bytes may be a mapped file
   * @param source the file, if they are one that we mapped
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
    // The footer may begin within a word, which then also has the checksum of the last page.
    this.footerAt = (length - FileWriter.FOOTER_BYTES) >>> 3;
    byte[] footer = new byte[8];
    bytes.copy(8 * footerAt, footer, footer.length);
    this.footerWord = littleEndian(footer).getLong(0);
    checkTable();
  }

  /** What the data is. */
  public Header header() {
    return header;
  }

  /** Returns a data word, or zero, which proves nothing, if the file is known to be cut short. */
  @Override
  public long get(long word) {
    return ended() ? 0 : words.get(word);
  }

  /**
   * The data words, to be read fast. Before they are read, {@link #ended} is to be asked; after it,
   * what they said is to be proven.
   */
  public BufferWords words() {
    return words;
  }

  /**
   * Whether the file is known to be cut short, so that nothing more is to be read.
   *
   * @throws IllegalStateException if it is closed
   */
  public boolean ended() {
    if (ended && closed) {
      throw new IllegalStateException("the filter is closed");
    }
    return ended;
  }

  /** Whether the bytes may be a mapped file, parts of which others may take away. */
  public boolean mayVanish() {
    return mayVanish;
  }

  /**
   * Whether what was read from the page of this word before this call is surely what was written.
   */
  public boolean proven(long word) {
    return pageGood(word) && pageThere(word);
  }

  /** Whether the page of this word has the right checksum. */
  public boolean pageGood(long word) {
    return pageGoodBit(word) != 0;
  }

  /** 1 if the page of this word has the right checksum, else 0; without a branch on the answer. */
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
   * Makes sure that the first words lie in good pages.
   *
   * @param what they are, for the message
   */
  public void requireGood(long firstWords, String what) throws CorruptFilterException {
    for (long word = 0; word < firstWords; word += Header.PAGE_BYTES / 8) {
      if (!pageGood(word)) {
        throw new CorruptFilterException("the " + what + " is damaged: " + doubts());
      }
    }
  }

  /** Checks the page of this word once more, whatever it was before. */
  public boolean recheck(long word) {
    return checkPage((int) (word / (Header.PAGE_BYTES / 8))) == GOOD;
  }

  /** Whether a word or one beside it is zero, as after a wipe that need not begin with a word. */
  public boolean nearZero(long word) {
    return words.get(word) == 0
        || words.get(word - 1) == 0 // Before word 0 there is the header.
        || (8 * word + 8 < header.dataBytes() && words.get(word + 1) == 0);
  }

  /** Whether the page of this word can still be read, so that what was read before was real. */
  public boolean pageThere(long word) {
    if (!mayVanish) {
      return true;
    }
    if (ended) {
      return false; // What was read were not the file's words but the zeros after its end.
    }
    long[] copy = scratch.get();
    copy[0] = 0;
    try {
      words.copyWord(word, copy);
    } catch (InternalError e) { // The JVM's word for "this part of the file is gone".
      cut(); // Notes it.
      return false;
    }
    return copy[0] != 0 || recheck(word);
  }

  /**
   * Whether the file has not been overwritten, so that all reads before this call were of what was
   * opened. Once it has been, nothing is known ever after.
   */
  public boolean unchanged() {
    if (!mayVanish) {
      return true;
    }
    if (ended) {
      return false;
    }
    VarHandle.loadLoadFence(); // The words were read before.
    long[] copy = scratch.get();
    try {
      boolean same = bytes.get(SEED_WORD) == seedWord && bytes.get(CRC_WORD) == crcWord;
      bytes.copyWord(footerAt, copy);
      if (same && copy[0] == footerWord) {
        return true;
      }
    } catch (InternalError e) {
      cut(); // Notes it.
      return false;
    }
    if (!cut()) {
      overwritten = true;
      ended = true;
    }
    return false;
  }

  /** Whether the file is as it was opened, so that all reads before this one were real. */
  public boolean whole() {
    return !mayVanish || (hasItsLength() && unchanged());
  }

  /** Whether the file still has its length; false also if nobody can tell. */
  private boolean hasItsLength() {
    try {
      if (source == null || source.length() == length) {
        return source != null && !closed; // If closed, the length may be that of another file.
      }
      ended = true; // Nothing more is read: each read of what is gone would fault again.
      return false;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether the file is known to have become shorter. */
  public boolean cut() {
    boolean cut = source != null && !hasItsLength();
    if (cut && closed) { // Then it only has no descriptor.
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
   * Copies data, and makes sure that the copy is what was written.
   *
   * @param offset of a page
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

  /** What is known to be wrong with the file. */
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
   * Ends the use of the file, and gives its descriptor back; the mapping itself goes when the
   * garbage collector finds it.
   */
  @Override
  public void close() {
    closed = true;
    ended = true;
    if (source != null) {
      try {
        source.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e); // Of a file that was only read: hardly ever.
      }
    }
  }

  private static ByteBuffer littleEndian(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
