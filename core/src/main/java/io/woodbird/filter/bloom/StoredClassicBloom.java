package io.woodbird.filter.bloom;

import static io.woodbird.layout.ClassicBloom.first;
import static io.woodbird.layout.ClassicBloom.next;
import static io.woodbird.layout.ClassicBloom.position;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredFilter;
import io.woodbird.layout.ClassicBloom;

/** A classic Bloom filter that answers from a file. Its bits are stored inverted. */
final class StoredClassicBloom<K> extends StoredFilter<K> {
  private final ClassicBloom layout;
  private final long bitCount;
  private final StoredFile file;

  StoredClassicBloom(FilterSpec<K> spec, StoredFile file, ClassicBloom layout) {
    super(spec, file);
    this.file = file;
    this.layout = layout;
    this.bitCount = layout.bitCount();
  }

  @Override
  protected boolean denies(long hash) {
    long word = clearWord(hash);
    return word >= 0 && file.pageThere(word);
  }

  @Override
  protected int keptIfWhole(long hash) {
    return clearWord(hash) >= 0 ? 0 : 1;
  }

  /** The word of a bit of this hash that is clear and lies in a good page, or -1. */
  private long clearWord(long hash) {
    long state = first(hash);
    for (int i = 0; i < layout.hashCount(); i++) {
      long position = position(state, bitCount);
      if (file.pageGood(position >>> 6) && clear(position)) {
        return position >>> 6;
      }
      state = next(state);
    }
    return -1;
  }

  @Override
  protected boolean lacks(long hash) {
    long state = first(hash);
    for (int i = 0; i < layout.hashCount(); i++) {
      long position = position(state, bitCount);
      if (!file.readable(position >>> 6) || clear(position)) {
        return true;
      }
      state = next(state);
    }
    return false;
  }

  private boolean clear(long position) {
    return (file.word(position >>> 6) >>> position & 1) != 0;
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      long word = position(first(hashes[i]), bitCount) >>> 6;
      touched |= file.pageGood(word) ? file.word(word) : 0;
    }
    use(touched);
  }

  @Override
  protected FilterStats look() {
    return new BloomShape.Classic(layout).stats(word -> ~file.get(word), spec(), file.doubts());
  }
}
