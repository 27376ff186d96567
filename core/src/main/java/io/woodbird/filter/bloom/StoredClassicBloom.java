package io.woodbird.filter.bloom;

import static io.woodbird.layout.ClassicBloom.first;
import static io.woodbird.layout.ClassicBloom.next;
import static io.woodbird.layout.ClassicBloom.position;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.ClassicBloom;

/** A classic Bloom filter that answers from a file. Its bits are stored inverted. */
final class StoredClassicBloom extends StoredForm {
  private final ClassicBloom layout;
  private final long bitCount;
  private final StoredFile file;

  StoredClassicBloom(StoredFile file, ClassicBloom layout) {
    super(file);
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
  protected long touch(long hash) {
    long word = position(first(hash), bitCount) >>> 6;
    return file.pageGood(word) ? file.word(word) : 0;
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return new BloomShape.Classic(layout).stats(word -> ~file.get(word), spec, file.doubts());
  }
}
