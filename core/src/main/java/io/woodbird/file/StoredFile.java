package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import io.woodbird.words.PageWords;
import io.woodbird.words.WordSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The bytes of a stored filter: header, data words, and the checksums that prove them intact. */
public abstract class StoredFile implements WordSource, AutoCloseable {
  /*
   * Header, page table and footer are checked when the file is opened, a page when it is first
   * needed. A page that fails proves no "not here".
   *
   * An OwnedFile reads its pages into our own memory. A BufferFile answers from memory that others
   * may be able to change, so there a "not here" needs more proof.
   */

  /** The most data that can be opened, just under 8 TiB: pages are counted by an int. */
  static final long MAX_DATA_BYTES = (long) Integer.MAX_VALUE * Header.PAGE_BYTES;

  private static final int PAGE_WORDS = Header.PAGE_BYTES / 8;

  private final FileFrame frame;
  private final PageStates states;
  private final @Nullable PageWords pages;
  private final BufferWords words;

  /** Makes a file with pages of our own, or, if there are none, with words in buffers. */
  StoredFile(FileFrame frame, @Nullable PageWords pages, BufferWords words) {
    this.frame = frame;
    this.pages = pages;
    this.words = words;
    this.states = new PageStates(frame.pages());
  }

  /**
   * Refuses the file of a durable filter if its newest keys are only in a journal; {@code where}
   * begins the message.
   */
  public final void requireWhole(String where) throws CorruptFilterException {
    if (header().journal() != 0) {
      throw new CorruptFilterException(
          where
              + "not whole: a durable filter that is in use, or was not closed, has keys in its"
              + " journal; close it, or open it with bloom(...).file(path)");
    }
  }

  final FileFrame frame() {
    return frame;
  }

  final PageStates states() {
    return states;
  }

  /** Returns the header, which describes the data. */
  public final Header header() {
    return frame.header();
  }

  /**
   * Returns the file of a delta that is laid over this one, which says what keys were added and
   * removed since; null if there is none.
   */
  public final byte @Nullable [] overlay() {
    return frame.overlay();
  }

  /** Returns the SHA-256 of header and page table, by which a delta knows its base. */
  public abstract byte[] reference() throws IOException;

  /** Returns the body of the section with the signature; null if there is none. */
  abstract byte @Nullable [] signature() throws IOException;

  /** Returns the pages of our own, for kernels; null if the words are elsewhere. */
  public final @Nullable PageWords pages() {
    return pages;
  }

  /**
   * Returns a data word, fast. Before you call it, call {@link #ended} and ask whether the page is
   * good. If the words {@linkplain #mayVanish may vanish}, prove a "not here" afterwards.
   */
  public final long word(long word) {
    return pages != null ? pages.get(word) : words.get(word);
  }

  /**
   * Whether nothing more may be read, because the file was truncated or overwritten. Throws if it
   * is closed.
   */
  public abstract boolean ended();

  /** Whether the words are memory that another process may take away or change. */
  public boolean mayVanish() {
    return false;
  }

  /** Whether all bytes are in memory, which nobody can take away. */
  public boolean isInMemory() {
    return false;
  }

  /**
   * Calls back once, when all pages are in our own memory. Does nothing if they never will be. The
   * task runs in the thread that read the last page, and must not wait.
   */
  public void whenComplete(Runnable task) {}

  /**
   * Returns this file without its pages, for a filter that has them in another form: it can be
   * verified and copied, and is to be closed in the place of this one.
   */
  public StoredFile withoutPages() {
    return this;
  }

  /** Returns a data word, or zero if its page can't be had. */
  @Override
  public long get(long word) {
    return ended() || !readable(word) ? 0 : word(word);
  }

  /** Whether there are bytes for this word, good or bad. */
  public boolean readable(long word) {
    return true;
  }

  /** Whether the page of this word has the right checksum. */
  public final boolean pageGood(long word) {
    return pageGoodBit(word) != 0;
  }

  /** Returns 1 if the page of this word has the right checksum, else 0. */
  public final int pageGoodBit(long word) {
    int page = (int) (word / PAGE_WORDS);
    return (pages != null ? pages.has(word) : states.get(page) == PageStates.GOOD)
        ? 1
        : check(page, states.get(page)) & PageStates.GOOD;
  }

  /** Checks a page that is not known to be good, and returns its state. */
  abstract int check(int page, int state);

  /** Checks the page of this word again, also if it was good before. */
  public boolean recheck(long word) {
    return pageGood(word);
  }

  /** Whether a word or a neighbour may have been wiped since its page was checked. */
  public boolean nearZero(long word) {
    return false;
  }

  /** Returns a number that two words share only if they are on one page of the system. */
  public long systemPage(long word) {
    return (frame.dataAt() / 8 + word) / PAGE_WORDS;
  }

  /** Whether the page of this word can still be read, so that earlier reads of it were real. */
  public boolean pageThere(long word) {
    return true;
  }

  /**
   * Whether the words have not been overwritten, so that all reads before this call were reads of
   * the file that was opened. Once false, it stays false.
   */
  public boolean unchanged() {
    return true;
  }

  /** Whether the words are as they were opened, so that all reads before this call were real. */
  public boolean whole() {
    return true;
  }

  /** Whether the words are known to be truncated. */
  public boolean cut() {
    return false;
  }

  /**
   * Throws if one of the first words is in a damaged page; {@code what} names them in the message.
   */
  public final void requireGood(long firstWords, String what) throws CorruptFilterException {
    for (long word = 0; word < firstWords; word += PAGE_WORDS) {
      if (!pageGood(word)) {
        throw new CorruptFilterException("the " + what + " is damaged: " + doubts());
      }
    }
  }

  /** Checks every page now. */
  public final void verify() throws CorruptFilterException {
    requireOpen();
    byte[] buffer = new byte[Header.PAGE_BYTES];
    long bad = 0;
    int first = 0;
    for (int page = frame.pages() - 1; page >= 0; page--) {
      if (!verify(page, buffer)) {
        bad++;
        first = page;
      }
    }
    String change = change();
    if (change != null) {
      throw new CorruptFilterException(change);
    }
    if (bad > 0) {
      throw new CorruptFilterException(frame.damage(bad, first));
    }
  }

  /** Checks a page again, using a buffer, and notes what it finds. */
  abstract boolean verify(int page, byte[] buffer);

  /**
   * Copies data from the beginning of a page on, and throws if the copy is not what was written.
   */
  public final void copyData(long offset, ByteBuffer target) throws CorruptFilterException {
    byte[] buffer = new byte[Header.PAGE_BYTES];
    for (long from = offset; target.hasRemaining(); from += Header.PAGE_BYTES) {
      requireOpen();
      if (!verify((int) (from / Header.PAGE_BYTES), buffer)) {
        throw new CorruptFilterException(
            "not all of it can be copied: " + String.join("; ", doubts()));
      }
      target.put(buffer, 0, Math.min(Header.PAGE_BYTES, target.remaining()));
    }
    if (!unchanged()) {
      throw new CorruptFilterException(String.join("; ", doubts()));
    }
  }

  abstract boolean isClosed();

  final void requireOpen() {
    if (isClosed()) {
      throw new IllegalStateException("the filter is closed");
    }
  }

  /** Returns what is known to be wrong with the file. */
  public final List<String> doubts() {
    List<String> doubts = new ArrayList<>();
    String change = change();
    if (change != null) {
      doubts.add(change);
    }
    int first = states.firstBad();
    if (first >= 0) {
      doubts.add(frame.damage(states.countBad(), first));
    }
    return List.copyOf(doubts);
  }

  /** Says what happened to the file since it was opened; null if nothing did. */
  abstract @Nullable String change();

  /** Ends the use of the file and closes its descriptor. */
  @Override
  public abstract void close();

  /** Reads a page and its checksum, and returns whether they fit. */
  final boolean fits(int page, byte[] buffer, ByteSource bytes) {
    byte[] crc = new byte[4];
    try {
      bytes.copy(frame.pageAt(page), buffer, frame.pageBytes(page));
      bytes.copy(frame.tableAt() + 4L * page, crc, 4);
    } catch (IOException | InternalError e) { // The JVM throws it where a mapped page is gone.
      return false;
    }
    return frame.fits(page, buffer, Bytes.wrap(crc).getInt(0));
  }
}
