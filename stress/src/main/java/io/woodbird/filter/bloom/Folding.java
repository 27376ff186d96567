package io.woodbird.filter.bloom;

import io.woodbird.DurableFilter;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Lets a durable filter write its file anew, however short its journal is, or its journal fail. */
public final class Folding {
  private Folding() {}

  /**
   * Writes the file.
   *
   * @param filter the filter
   */
  public static void fold(DurableFilter<?> filter) {
    try {
      ((DurableBloomFilter<?>) filter).fold();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Lets the next write to the journal fail.
   *
   * @param filter the filter
   */
  public static void failJournal(DurableFilter<?> filter) {
    try {
      ((DurableBloomFilter<?>) filter).journal.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
