package io.woodbird.filter;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.OpenFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;

/**
 * A small file that was read and checked when it was opened, and answers as fast as any filter on
 * the heap. Whatever happens to the file, it does not change.
 */
final class LoadedFilter<K> extends HashedFilter<K> implements OpenFilter<K> {
  private final Filter<K> filter;
  private volatile boolean closed;

  LoadedFilter(FilterSpec<K> spec, Filter<K> filter) {
    super(spec);
    this.filter = filter;
  }

  private Filter<K> open() {
    if (closed) {
      throw new IllegalStateException("the filter is closed");
    }
    return filter;
  }

  @Override
  public boolean mightContainHash(long hash) {
    return open().mightContainHash(hash);
  }

  @Override
  public Answer ask(K key) {
    return open().ask(key);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    return open().candidates(hashes, count, selected);
  }

  @Override
  public FilterStats stats() {
    return filter.stats();
  }

  @Override
  public long sizeInBytes() {
    return filter.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    open().save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    open().writeTo(out);
  }

  /** Does nothing: all was checked before it was copied to the heap. */
  @Override
  public void verify() {
    open();
  }

  @Override
  public void close() {
    closed = true;
  }
}
