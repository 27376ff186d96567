package io.woodbird.filter.frozen;

import io.woodbird.FrozenMap;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.words.HeapWords;
import java.util.OptionalLong;

/** A map on the heap. */
final class HeapFrozenMap<K> extends HeapFrozenFilter<K> implements FrozenMap<K> {
  private final MapKernel values;
  private volatile boolean closed;

  HeapFrozenMap(
      FilterSpec<K> spec, Header header, FrozenShape shape, HeapWords words, ShardTable table) {
    super(spec, header, shape, words, table);
    this.values = (MapKernel) kernel();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the filter is closed");
    }
  }

  @Override
  public boolean mightContainHash(long hash) {
    requireOpen();
    return super.mightContainHash(hash);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    requireOpen();
    return super.candidates(hashes, count, selected);
  }

  @Override
  public OptionalLong getByHash(long hash) {
    requireOpen();
    return values.find(hash);
  }

  /** Does nothing: it was checked before it was copied to the heap. */
  @Override
  public void verify() {
    requireOpen();
  }

  @Override
  public void close() {
    closed = true;
  }
}
