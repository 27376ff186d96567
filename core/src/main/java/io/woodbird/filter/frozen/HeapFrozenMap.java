package io.woodbird.filter.frozen;

import io.woodbird.FrozenMap;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.words.HeapWords;
import java.util.OptionalLong;

/** A map on the heap. */
final class HeapFrozenMap<K> extends HeapFrozenFilter<K> implements FrozenMap<K> {
  private final MapKernel values;
  private final boolean anyNumber; // Any number can be a value, -1 too.

  /**
   * Not volatile: the thread that closes it is refused at once, and others may still be answered
   * for a while, which is right, as nothing was freed. A volatile read for each question costs up
   * to a tenth (ADR 19).
   */
  private boolean closed;

  HeapFrozenMap(
      FilterSpec<K> spec, Header header, FrozenShape shape, HeapWords words, ShardTable table) {
    super(spec, header, shape, words, table);
    this.values = (MapKernel) kernel();
    this.anyNumber = shape.valueBits() == Long.SIZE;
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
    long value = getByHashOrDefault(hash, -1);
    boolean absent = value == -1 && (!anyNumber || getByHashOrDefault(hash, 0) == 0);
    return absent ? OptionalLong.empty() : OptionalLong.of(value);
  }

  @Override
  public long getByHashOrDefault(long hash, long absent) {
    requireOpen();
    return values.find(hash, absent);
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
