package io.woodbird.bench.rival;

import io.woodbird.DeletableFilter;
import io.woodbird.DeletableLayout;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;

/** Woodbird's filters that give keys back, key by key. */
final class DeletableRival {
  private DeletableRival() {}

  private static <K> DeletableFilter<K> filter(
      KeyHasher<K> keys, long n, double fpp, DeletableLayout layout) {
    return Woodbird.deletable(keys, n).fpp(fpp).layout(layout).build();
  }

  /** Longs one by one. */
  static final class Longs implements LongRival, Removing<long[]> {
    private final DeletableFilter<Long> filter;

    Longs(long n, double fpp, DeletableLayout layout) {
      this.filter = filter(Keys.longs(), n, fpp, layout);
    }

    @Override
    public void put(long key) {
      filter.putLong(key);
    }

    @Override
    public boolean mightContain(long key) {
      return filter.mightContainLong(key);
    }

    @Override
    public void removeAll(long[] keys, int from, int to) {
      for (int i = from; i < to; i++) {
        filter.removeLong(keys[i]);
      }
    }

    @Override
    public long bits() {
      return filter.stats().bits();
    }
  }

  /** Strings one by one. */
  static final class Strings implements StringRival, Removing<String[]> {
    private final DeletableFilter<String> filter;

    Strings(long n, double fpp, DeletableLayout layout) {
      this.filter = filter(Keys.strings(), n, fpp, layout);
    }

    @Override
    public void put(String key) {
      filter.put(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.mightContain(key);
    }

    @Override
    public void removeAll(String[] keys, int from, int to) {
      for (int i = from; i < to; i++) {
        filter.remove(keys[i]);
      }
    }

    @Override
    public long bits() {
      return filter.stats().bits();
    }
  }
}
