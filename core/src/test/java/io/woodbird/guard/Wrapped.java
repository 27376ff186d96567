package io.woodbird.guard;

import io.woodbird.FilterStats;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** Another filter, to be made faulty. */
class Wrapped implements MutableFilter<Long> {
  private final MutableFilter<Long> inner;

  Wrapped(MutableFilter<Long> inner) {
    this.inner = inner;
  }

  @Override
  public boolean putHash(long hash) {
    return inner.putHash(hash);
  }

  @Override
  public long putAll(Collection<? extends Long> keys) {
    return inner.putAll(keys);
  }

  @Override
  public long hashOf(Long key) {
    return inner.hashOf(key);
  }

  @Override
  public boolean mightContainHash(long hash) {
    return inner.mightContainHash(hash);
  }

  @Override
  public List<Long> candidates(Collection<? extends Long> keys) {
    return inner.candidates(keys);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    return inner.candidates(hashes, count, selected);
  }

  @Override
  public FilterStats stats() {
    return inner.stats();
  }

  @Override
  public long sizeInBytes() {
    return inner.sizeInBytes();
  }

  @Override
  public void save(Path path) throws IOException {
    inner.save(path);
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    inner.writeTo(out);
  }
}
