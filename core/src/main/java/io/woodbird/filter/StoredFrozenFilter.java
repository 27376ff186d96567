package io.woodbird.filter;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;

/** A frozen filter that answers from a file. */
final class StoredFrozenFilter<K> extends StoredFilter<K> {
  /*
   * Zeros are not "maybe" here, as they are in a Bloom filter, so a word that is zero, or lies beside
   * one, is no evidence by itself: its page is checked again. A solution has a zero word by chance once
   * in 2^64, so that costs nothing, and a range that was wiped under the mapping shows, even where it
   * begins inside a word.
   */
  private final StoredFile file;
  private final FrozenShape shape;
  private final FrozenKernel kernel;
  private final long wordCount;

  StoredFrozenFilter(Setup<K> setup, StoredFile file, FrozenShape shape, ShardTable table) {
    super(setup, file);
    this.file = file;
    this.shape = shape;
    this.kernel = shape.kernel(file, table);
    this.wordCount = file.header().dataBytes() / 8;
  }

  @Override
  boolean denies(long hash) {
    return deniesIfWhole(hash) && file.whole();
  }

  @Override
  boolean deniesIfWhole(long hash) {
    if (!kernel.lacks(hash)) {
      return false;
    }
    boolean[] sound = {true};
    kernel.visit(
        hash,
        word -> {
          sound[0] = file.pageGood(word) && (!nearZero(word) || file.recheck(word));
          return sound[0];
        });
    return sound[0];
  }

  private boolean nearZero(long word) {
    return file.get(word) == 0
        || file.get(word - 1) == 0
        || (word + 1 < wordCount && file.get(word + 1) == 0);
  }

  @Override
  boolean lacks(long hash) {
    return kernel.lacks(hash);
  }

  @Override
  void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= kernel.touch(hashes[i]);
    }
    use(touched);
  }

  @Override
  FilterStats look() {
    return FrozenCodec.stats(file.header(), shape, file.doubts());
  }
}
