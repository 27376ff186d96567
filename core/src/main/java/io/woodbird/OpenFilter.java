package io.woodbird;

import java.io.IOException;

/**
 * A filter that answers from a file. Opening it takes milliseconds whatever its size.
 *
 * <p>Each page of the file is read and checked when it is first asked about. A damaged page can't
 * say "not here": its keys get {@link Answer#UNKNOWN}, and {@link #stats()} names it. The page is
 * tried again later. What happens to the file afterwards changes no page that was read. If the file
 * is truncated or overwritten, the other pages count as damaged. To replace the file, write another
 * and rename it ({@link Filter#save} does), then open that.
 *
 * <p>A file that was {@linkplain Woodbird#map mapped}, or is larger than half of the heap, shares
 * its memory with other processes. If it is truncated or overwritten, all its keys get {@link
 * Answer#UNKNOWN}.
 *
 * <p>Files of up to 16 MiB are read at once, which takes milliseconds too.
 *
 * @param <K> the type of the keys
 */
public interface OpenFilter<K> extends Filter<K>, AutoCloseable {
  /**
   * Checks every page now, if that was not done when it was opened, and reads those that were not
   * needed so far. Afterwards a question takes as long as on the heap.
   *
   * @throws CorruptFilterException if a page is damaged; the message says which
   * @throws IOException if the file can't be read
   */
  void verify() throws IOException;

  /**
   * Ends the use of the file. Questions asked later, or just now in other threads, throw {@link
   * IllegalStateException}.
   */
  @Override
  void close();
}
