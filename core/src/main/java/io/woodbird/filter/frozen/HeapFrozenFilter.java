package io.woodbird.filter.frozen;

import io.woodbird.FilterStats;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HashedFilter;
import io.woodbird.words.HeapWords;
import java.nio.ByteBuffer;
import java.util.List;

/** A frozen filter on the heap. */
class HeapFrozenFilter<K> extends HashedFilter<K> {
  /*
   * A batch has a loop of its own. In that of HashedFilter the compiler no longer knows what answers
   * once a process asks batches of three families. Measured with four (a million longs, fpp 1 %,
   * both hits and misses, JDK 17): fuse 10.6 ns a key there and 8.7 here, ribbon 27 and 19.
   */
  private final Header header;
  private final FrozenShape shape;
  private final FrozenKernel kernel;

  HeapFrozenFilter(
      FilterSpec<K> spec, Header header, FrozenShape shape, HeapWords words, ShardTable table) {
    super(spec);
    this.header = header;
    this.shape = shape;
    this.kernel = shape.heapKernel(words, table);
  }

  final FrozenKernel kernel() {
    return kernel;
  }

  @Override
  public boolean mightContainHash(long hash) {
    return !kernel.lacks(hash);
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      long touched = 0;
      for (int i = from; i < to; i++) {
        touched |= kernel.touch(hashes[i]);
      }
      use(touched);
      for (int i = from; i < to; i++) {
        selected[kept] = i;
        kept += kernel.lacks(hashes[i]) ? 0 : 1;
      }
    }
    return kept;
  }

  @Override
  public FilterStats stats() {
    return FrozenCodec.stats(header, shape, List.of());
  }

  @Override
  public long sizeInBytes() {
    return FileWriter.sizeInBytes(header.dataBytes());
  }

  @Override
  public Image image() {
    return new Image(header, this::copyData);
  }

  private void copyData(long offset, ByteBuffer target) {
    for (long word = offset / 8; target.hasRemaining(); word++) {
      target.putLong(kernel.word(word));
    }
  }
}
