package io.woodbird.file;

import io.woodbird.CorruptFilterException;
import io.woodbird.words.BufferWords;
import io.woodbird.words.PageWords;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A file whose pages are read into our own memory when they are first needed. */
final class OwnedFile extends StoredFile {
  /*
   * A page that is needed for the first time is read, checked and kept. From then on it is ours:
   * cutting, wiping or overwriting the file changes nothing of it. The page table is kept from
   * the beginning, so a page that was overwritten before it was read has the wrong checksum, even
   * if the file that took its place is intact. After a page was read, the footer must still be the
   * one that was opened. So a page of another version of the filter is taken only if its checksum
   * is the same by chance (1 in 2^32), and only while the tool that overwrites the file has not
   * come to its end.
   *
   * A question looks whether its page is there, and then reads the words as on the heap. When the
   * last page was read, the filter is told, moves to its form on the heap, and needs no page more.
   *
   * A page that can't be read, or has the wrong checksum, is tried again when a second has passed
   * since the last failure. A disk that fails takes long to say so.
   */

  private static final BufferWords NO_BUFFERS = new BufferWords(new ByteBuffer[0], 0, 0);
  private static final long RETRY_NANOS = 1_000_000_000;

  private final LockedFile file;
  private final int[] checksums;
  private final PageWords words;
  private final boolean keepsPages;
  private volatile @Nullable Runnable whenComplete;
  private volatile @Nullable Peek latest;
  private volatile long failedAt;
  private volatile boolean closed;

  private OwnedFile(LockedFile file, FileFrame frame, int[] checksums, boolean keepsPages) {
    super(frame, new PageWords(frame.header().dataBytes() / 8), NO_BUFFERS);
    this.file = file;
    this.words = Objects.requireNonNull(pages());
    this.keepsPages = keepsPages;
    this.checksums = checksums;
  }

  /** Checks all but the data. The file belongs to the new object, unless this throws. */
  static OwnedFile open(RandomAccessFile opened, OpenRules rules) throws IOException {
    return open(opened, rules, true);
  }

  /** The same; a page that was read stays in memory, or does not. */
  static OwnedFile open(RandomAccessFile opened, OpenRules rules, boolean keepsPages)
      throws IOException {
    LockedFile file = new LockedFile(opened);
    FileFrame frame = new FileFrame(file::read, file.length(), rules);
    int[] checksums = new int[frame.pages()];
    byte[] table = new byte[Math.toIntExact(4L * checksums.length)];
    file.read(frame.tableAt(), table, table.length);
    Bytes.wrap(table).asIntBuffer().get(checksums);
    if (!frame.isTable(table)) { // It was checked, and then read again.
      throw new CorruptFilterException("overwritten while it was being opened");
    }
    return new OwnedFile(file, frame, checksums, keepsPages);
  }

  @Override
  public void whenComplete(Runnable task) {
    whenComplete = task;
  }

  @Override
  public StoredFile withoutPages() {
    return new OwnedFile(file, frame(), checksums, false);
  }

  /** Whether the footer is still that of the file that was opened. */
  private boolean hasSameFooter() throws IOException {
    byte[] end = new byte[FileWriter.FOOTER_BYTES];
    file.read(frame().length() - end.length, end, end.length);
    return frame().isFooter(end);
  }

  @Override
  public byte[] reference() throws IOException {
    return frame().reference(file::read);
  }

  @Override
  byte @Nullable [] signature() throws IOException {
    return frame().signature(file::read);
  }

  @Override
  public boolean ended() {
    requireOpen();
    return false;
  }

  /** Reads the page of a word without keeping it, unless it is the page of the last call. */
  @Override
  public long get(long word) {
    requireOpen();
    int page = (int) (word / (Header.PAGE_BYTES / 8));
    if (words.has(word)) {
      return words.get(word);
    }
    Peek peek = latest;
    if (peek == null || peek.page != page) {
      byte[] content = new byte[Header.PAGE_BYTES];
      peek = new Peek(page, isIntact(page, content) ? content : new byte[Header.PAGE_BYTES]);
      latest = peek;
    }
    return peek.word((int) (word % (Header.PAGE_BYTES / 8)));
  }

  /** A page that is not kept; zeros if it is damaged. */
  private static final class Peek {
    private final int page;
    private final ByteBuffer content;

    Peek(int page, byte[] content) {
      this.page = page;
      this.content = Bytes.wrap(content);
    }

    long word(int index) {
      return content.getLong(8 * index);
    }
  }

  @Override
  public boolean readable(long word) {
    return pageGood(word);
  }

  @Override
  int check(int page, int state) {
    requireOpen();
    if (state == PageStates.BAD && System.nanoTime() - failedAt < RETRY_NANOS) {
      return PageStates.BAD;
    }
    return verify(page, new byte[Header.PAGE_BYTES]) ? PageStates.GOOD : PageStates.BAD;
  }

  /** Reads a page from the file, and keeps it if it is good. */
  @Override
  boolean verify(int page, byte[] buffer) {
    boolean good = isIntact(page, buffer);
    Runnable told = null;
    synchronized (words) {
      requireOpen();
      if (words.has((long) page * (Header.PAGE_BYTES / 8))) {
        return good;
      }
      good = good && (!keepsPages || keep(page, buffer));
      states().set(page, good ? PageStates.GOOD : PageStates.BAD);
      if (words.isComplete()) {
        told = whenComplete;
        whenComplete = null;
      }
    }
    if (told != null) {
      told.run();
    }
    if (!good) {
      failedAt = System.nanoTime();
    }
    return good;
  }

  private boolean isIntact(int page, byte[] buffer) {
    try {
      file.read(frame().pageAt(page), buffer, frame().pageBytes(page));
      return frame().fits(page, buffer, checksums[page]) && hasSameFooter();
    } catch (IOException e) {
      return false;
    }
  }

  /** Copies a page into our memory; false if there is none. */
  private boolean keep(int page, byte[] content) {
    try {
      words.set((long) page * (Header.PAGE_BYTES / 8), content, frame().pageBytes(page));
      return true;
    } catch (OutOfMemoryError e) {
      return false; // The answer is "maybe", and the page counts as damaged.
    }
  }

  @Override
  @Nullable String change() {
    requireOpen();
    try {
      if (file.length() != frame().length()) {
        return "the file was cut short while it was open";
      }
      byte[] crc = new byte[4];
      file.read(Header.BYTES - crc.length, crc, crc.length);
      boolean same = Bytes.wrap(crc).getInt(0) == frame().headerCrc();
      return same && hasSameFooter() ? null : "the file was overwritten while it was open";
    } catch (IOException e) {
      requireOpen();
      return "the file can no longer be read: " + e.getMessage();
    }
  }

  @Override
  boolean isClosed() {
    return closed;
  }

  /** The memory is free when the garbage collector finds it unused. */
  @Override
  public void close() {
    synchronized (words) {
      closed = true;
      words.clear();
    }
    try {
      file.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // Unlikely: the file was only read.
    }
  }
}
