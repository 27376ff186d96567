package io.woodbird.bench.rival;

import io.woodbird.DeletableBuilder;
import io.woodbird.DeletableFilter;
import io.woodbird.key.Keys;

/** Woodbird's filters that can remove keys. */
final class DeletableRival {
  private DeletableRival() {}

  /** Longs one by one. */
  static final class Longs extends WoodbirdRival.Longs implements Removing<long[]> {
    private final DeletableFilter<Long> filter;

    Longs(DeletableBuilder<Long> builder) {
      this(builder.build());
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

    Strings(DeletableBuilder<String> builder) {
      this(builder.build());
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
