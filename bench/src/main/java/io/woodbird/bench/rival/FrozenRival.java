package io.woodbird.bench.rival;

import io.woodbird.Filter;
import io.woodbird.FrozenBuilder;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.util.Arrays;
import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;

/** Woodbird's frozen filters: collects the keys, then builds on one thread. */
final class FrozenRival {
  private FrozenRival() {}

  private static <K> FrozenBuilder<K> builder(KeyHasher<K> keys, boolean fuse, double fpp) {
    FrozenBuilder<K> builder = Woodbird.frozen(keys).fpp(fpp).threads(1);
    return fuse ? builder.fastToAsk() : builder.smallest();
  }

  /** Walks over an array, without the time that the iterator of a stream takes. */
  private static PrimitiveIterator.OfLong iterator(long[] keys, int size) {
    return new PrimitiveIterator.OfLong() {
      private int next;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public long nextLong() {
        if (next == size) {
          throw new NoSuchElementException();
        }
        return keys[next++];
      }
    };
  }

  /** Longs one by one, or in batches. */
  static final class Longs implements LongRival {
    private final FrozenBuilder<Long> builder;
    private final boolean batches;
    private final long[] hashes = new long[CHUNK];
    private final int[] selected = new int[CHUNK];
    private long[] keys;
    private int size;
    private Filter<Long> filter;

    Longs(long n, double fpp, boolean fuse, boolean batches) {
      this.builder = builder(Keys.longs(), fuse, fpp);
      this.batches = batches;
      this.keys = new long[Math.toIntExact(n)];
    }

    @Override
    public void put(long key) {
      keys[size++] = key;
    }

    @Override
    public void finish() {
      filter = builder.buildFrom(iterator(keys, size));
      keys = null;
    }

    @Override
    public boolean mightContain(long key) {
      return filter.mightContainLong(key);
    }

    @Override
    public int count(long[] asked, int from, int to) {
      if (!batches) {
        return LongRival.super.count(asked, from, to);
      }
      int count = 0;
      for (int start = from; start < to; start += CHUNK) {
        int chunk = Math.min(CHUNK, to - start);
        for (int i = 0; i < chunk; i++) {
          hashes[i] = filter.hashOfLong(asked[start + i]);
        }
        count += filter.candidates(hashes, chunk, selected);
      }
      return count;
    }

    @Override
    public long bits() {
      return filter.stats().bits();
    }
  }

  /** Strings one by one. */
  static final class Strings implements StringRival {
    private final FrozenBuilder<String> builder;
    private String[] keys;
    private int size;
    private Filter<String> filter;

    Strings(long n, double fpp, boolean fuse) {
      this.builder = builder(Keys.strings(), fuse, fpp);
      this.keys = new String[Math.toIntExact(n)];
    }

    @Override
    public void put(String key) {
      keys[size++] = key;
    }

    @Override
    public void finish() {
      filter = builder.buildFrom(Arrays.asList(keys).subList(0, size));
      keys = null;
    }

    @Override
    public boolean mightContain(String key) {
      return filter.mightContain(key);
    }

    @Override
    public long bits() {
      return filter.stats().bits();
    }
  }
}
