package io.woodbird.filter;

import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.file.StoredFile;

/** Makes filters of one layout from files. */
public interface Codec {
  /**
   * Makes what answers straight from the file. Throws if the header's parameters are impossible.
   */
  StoredForm stored(StoredFile file) throws CorruptFilterException;

  /**
   * Makes a filter on the heap from a file that was verified.
   *
   * @throws CorruptFilterException if the header's parameters are impossible
   */
  <K> Filter<K> onHeap(FilterSpec<K> spec, StoredFile file) throws CorruptFilterException;
}
