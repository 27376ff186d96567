package io.woodbird.bench.rival;

import io.woodbird.DeletableFilter;
import io.woodbird.DeletableLayout;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;

/** Woodbird's filters that can remove keys. */
final class DeletableRival {
  private DeletableRival() {}

  private static <K> DeletableFilter<K> filter(
      KeyHasher<K> keys, long n, double fpp, DeletableLayout layout) {
    return Woodbird.deletable(keys, n).fpp(fpp).layout(layout).build();
  }

  /** Longs one by one. */
  static final class Longs extends WoodbirdRival.Longs implements Removing<long[]> {
    private final DeletableFilter<Long> filter;

    Longs(long n, double fpp, DeletableLayout layout) {
      this(filter(Keys.longs(), n, fpp, layout));
    }

    private Longs(DeletableFilter<Long> filter) {
      super(WoodbirdRival.onHeap(Keys.longs(), filter));
      this.filter = filter;
    }

    @Override
    public void removeAll(long[] keys, int from, int to) {
      for (int i = from; i < to; i++) {
        filter.removeLong(keys[i]);
      }
    }
  }

  /** Strings one by one. */
  static final class Strings extends WoodbirdRival.Strings implements Removing<String[]> {
    private final DeletableFilter<String> filter;

    Strings(long n, double fpp, DeletableLayout layout) {
      this(filter(Keys.strings(), n, fpp, layout));
    }

    private Strings(DeletableFilter<String> filter) {
      super(WoodbirdRival.onHeap(Keys.strings(), filter));
      this.filter = filter;
    }

    @Override
    public void removeAll(String[] keys, int from, int to) {
      for (int i = from; i < to; i++) {
        filter.remove(keys[i]);
      }
    }
  }
}
