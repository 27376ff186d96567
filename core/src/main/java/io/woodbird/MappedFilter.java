package io.woodbird;

import java.io.IOException;

/**
 * A filter that answers straight from a memory-mapped file. Opening it takes milliseconds whatever
 * its size, and processes that open the same file share its memory.
 *
 * <p>Each page of the file is checked when it is first asked about. A damaged page can't say "not
 * here": its keys get {@link Answer#UNKNOWN}, and {@link #stats()} names it. So does a file that
 * was truncated or overwritten while it was open. To replace the file, write another and rename it
 * ({@link Filter#save} does), then open that.
 *
 * <p>Files of up to 16 MiB are read at once instead, which takes milliseconds too: a copy answers
 * faster, and nobody can take it away.
 *
 * @param <K> the type of the keys
 */
public interface MappedFilter<K> extends Filter<K>, AutoCloseable {
  /**
   * Checks every page now, if that was not done when it was opened.
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
