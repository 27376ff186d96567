package io.woodbird.words;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** 64-bit words on the heap that come page by page; those of pages that are not there are zero. */
public final class PageWords implements WordSource {
  /*
   * A segment is one array with 32 MiB of pages, and before them a bit for each page: whether it is
   * there. The bits of a file of 2 GiB take 64 KiB, so a question finds them in the cache. So large
   * an array is a large object for every collector: it begins on a page and is never copied. G1
   * rounds it up to whole regions.
   *
   * A page is written before its bit is set, and the bit is read before the page. When all pages
   * are there, one look tells (complete).
   *
   * How many questions a core overlaps depends on how many instructions each has. Measured in batches,
   * 128 MiB, JDK 25 and 17, as a share of the speed on the heap: this form 0.71 and 0.76; a bit looked
   * at in each question 0.41 and 0.52; segments of 8,191 pages, which fill the regions of G1 and need
   * a division, 0.25; buffers outside the heap 0.37 and 0.34.
   */
  private static final int PAGE_SHIFT = 9;
  private static final int PAGE_WORDS = 1 << PAGE_SHIFT;
  private static final int SEGMENT_SHIFT = 22;
  private static final int SEGMENT_WORDS = 1 << SEGMENT_SHIFT;

  /** Where the bits of pages begin: on a cache line. */
  private static final int BITS = 6;

  /** Where page 0 of a segment begins: on a cache line too. */
  private static final int ORIGIN = BITS + (SEGMENT_WORDS >>> PAGE_SHIFT >>> 6);

  private static final long[] EMPTY = new long[ORIGIN];
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[][] segments;
  private final long wordCount;
  private long absentPages; // Changed by one thread at a time.
  private volatile boolean complete;

  /** Makes words of which no page is there. */
  public PageWords(long wordCount) {
    this.wordCount = wordCount;
    this.absentPages = (wordCount + PAGE_WORDS - 1) >>> PAGE_SHIFT;
    this.segments = new long[Math.toIntExact((wordCount + SEGMENT_WORDS - 1) >>> SEGMENT_SHIFT)][];
    clear();
  }

  /** Whether all pages are there, and can be read from now on. */
  public boolean isComplete() {
    return complete;
  }

  /** Returns the array of a word, for kernels that read several words of one page. */
  public long[] segment(long word) {
    return segments[(int) (word >>> SEGMENT_SHIFT)];
  }

  /** Returns where a word is in its array. */
  public static int index(long word) {
    return ORIGIN + ((int) word & (SEGMENT_WORDS - 1));
  }

  /** Whether the page of a word is in its array, and can be read from now on. */
  public static boolean has(long[] segment, long word) {
    int page = ((int) word & (SEGMENT_WORDS - 1)) >>> PAGE_SHIFT;
    long bits = (long) WORDS.getAcquire(segment, BITS + (page >>> 6));
    return (bits >>> page & 1) != 0;
  }

  /** Whether the page of a word is there. */
  public boolean has(long word) {
    return has(segment(word), word);
  }

  /** Returns a word of a page that is there. */
  @Override
  public long get(long word) {
    return segment(word)[index(word)];
  }

  /**
   * Copies a page that is not there yet. One thread at a time may do this.
   *
   * @param firstWord where the page begins
   * @param length how many bytes of the content count
   */
  public void set(long firstWord, byte[] content, int length) {
    int number = (int) (firstWord >>> SEGMENT_SHIFT);
    if (segments[number] == EMPTY) {
      long left = wordCount - ((long) number << SEGMENT_SHIFT);
      int whole = (int) Math.min(SEGMENT_WORDS, left + PAGE_WORDS - 1 & -PAGE_WORDS);
      segments[number] = new long[ORIGIN + whole];
    }
    long[] array = segments[number];
    ByteBuffer.wrap(content, 0, length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .asLongBuffer()
        .get(array, index(firstWord), length / 8);
    int page = ((int) firstWord & (SEGMENT_WORDS - 1)) >>> PAGE_SHIFT;
    int at = BITS + (page >>> 6);
    WORDS.setRelease(array, at, array[at] | 1L << page);
    absentPages--;
    complete = absentPages == 0;
  }

  /** Takes the memory away: no page is there from now on, and reading a word may fail. */
  public void clear() {
    complete = false;
    Arrays.fill(segments, EMPTY);
  }
}
