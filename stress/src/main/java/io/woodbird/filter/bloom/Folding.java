package io.woodbird.filter.bloom;

import io.woodbird.DurableFilter;
import java.io.IOException;
import java.io.UncheckedIOException;

/** Lets a durable filter write its file anew, however short its journal is. */
public final class Folding {
  private Folding() {}

  /**
   * Does so.
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
}
