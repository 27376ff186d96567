package io.woodbird.filter.bloom;

import static io.woodbird.layout.ClassicBloom.first;
import static io.woodbird.layout.ClassicBloom.next;
import static io.woodbird.layout.ClassicBloom.position;

import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.ClassicBloom;
import io.woodbird.words.HeapWords;
import java.lang.invoke.VarHandle;

/** A classic Bloom filter on the heap: the smallest, with a cache miss per bit. */
final class ClassicBloomFilter<K> extends HeapBloomFilter<K> {
  private final ClassicBloom layout;
  private final long bitCount;
  private final int hashCount;
  private final HeapWords words;

  ClassicBloomFilter(FilterSpec<K> spec, ClassicBloom layout, OverfullNotices notices) {
    super(spec, notices);
    this.layout = layout;
    this.bitCount = layout.bitCount();
    this.hashCount = layout.hashCount();
    this.words = new HeapWords(bitCount / 64);
  }

  @Override
  public boolean mightContainHash(long hash) {
    long state = first(hash);
    for (int i = 0; i < hashCount; i++) {
      long position = position(state, bitCount);
      if ((words.get(position >>> 6) >>> position & 1) == 0) {
        return false;
      }
      state = next(state);
    }
    return true;
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |= words.get(position(first(hashes[i]), bitCount) >>> 6);
    }
    use(touched);
  }

  @Override
  boolean set(long hash) {
    // As in the blocked filter, the last bit that was clear before the first is set decides. It is
    // set after all others: a key may own a bit twice.
    long deciding = lastClear(hash);
    if (deciding < 0) {
      return false;
    }
    long state = first(hash);
    for (int i = 0; i < hashCount; i++) {
      long position = position(state, bitCount);
      if (position != deciding) {
        words.setBits(HeapWords.index(position >>> 6), 1L << position);
      }
      state = next(state);
    }
    return words.setBits(HeapWords.index(deciding >>> 6), 1L << deciding);
  }

  /** The last position whose bit is clear, or -1. */
  private long lastClear(long hash) {
    long last = -1;
    long state = first(hash);
    for (int i = 0; i < hashCount; i++) {
      long position = position(state, bitCount);
      if ((words.get(position >>> 6) >>> position & 1) == 0) {
        last = position;
      }
      state = next(state);
    }
    VarHandle.acquireFence();
    return last;
  }

  @Override
  HeapWords words() {
    return words;
  }

  @Override
  BloomShape shape() {
    return new BloomShape.Classic(layout);
  }
}
