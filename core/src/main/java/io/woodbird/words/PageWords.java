package io.woodbird.words;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/** 64-bit words on the heap that come page by page; those of pages that are not there are zero. */
public final class PageWords implements WordSource {
  /*
   * A segment is one array with 64 pages, and before them a word with a bit for each: whether it is
   * there. It is small, so that the first question of a cold file need not wait until much memory
   * is cleared. A page is written before its bit is set, and the bit is read before the page.
   *
   * Once all pages are there, the filter moves to the form that it has on the heap (StoredFilter).
   * No form by pages is as fast: the more instructions a question has, the fewer misses a core
   * overlaps. Measured in batches, 128 MiB, JDK 25 and 17, as a share of the speed on the heap: one
   * look for all pages 0.71 and 0.76; a bit looked at in each question 0.41 and 0.52; buffers outside
   * the heap 0.37 and 0.34.
   */
  private static final int PAGE_SHIFT = 9;
  private static final int PAGE_WORDS = 1 << PAGE_SHIFT;
  private static final int SEGMENT_SHIFT = PAGE_SHIFT + 6;
  private static final int SEGMENT_WORDS = 1 << SEGMENT_SHIFT;

  /** Where page 0 of a segment begins, behind the word with the bits: on a cache line. */
  private static final int ORIGIN = 6;

  private static final long[] EMPTY = new long[ORIGIN];
  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[][] segments;
  private final long wordCount;
  private long absentPages; // Changed by one thread at a time.

  /** Makes words of which no page is there. */
  public PageWords(long wordCount) {
    this.wordCount = wordCount;
    this.absentPages = (wordCount + PAGE_WORDS - 1) >>> PAGE_SHIFT;
    this.segments = new long[Math.toIntExact((wordCount + SEGMENT_WORDS - 1) >>> SEGMENT_SHIFT)][];
    clear();
  }

  /** Whether all pages are there. Asked by the thread that sets them. */
  public boolean isComplete() {
    return absentPages == 0;
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
    return ((long) WORDS.getAcquire(segment, 0) >>> page & 1) != 0;
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
   * Copies the page that begins at a word and is not there yet; {@code length} bytes of the content
   * count. One thread at a time may do this.
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
    WORDS.setRelease(array, 0, array[0] | 1L << page);
    absentPages--;
  }

  /** Takes the memory away: no page is there from now on, and reading a word may fail. */
  public void clear() {
    Arrays.fill(segments, EMPTY);
  }
}
