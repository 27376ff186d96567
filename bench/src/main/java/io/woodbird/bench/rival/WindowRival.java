package io.woodbird.bench.rival;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.time.Duration;

/** Woodbird's filter that forgets keys after a day. */
final class WindowRival {
  private WindowRival() {}

  private static <K> MutableFilter<K> filter(KeyHasher<K> keys, long n, double fpp) {
    return Woodbird.window(keys, n, Duration.ofDays(1)).fpp(fpp).build();
  }

  /** Longs one by one. */
  static final class Longs implements LongRival {
    private final MutableFilter<Long> filter;

    Longs(long n, double fpp) {
      this.filter = filter(Keys.longs(), n, fpp);
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
    public long bits() {
      return filter.stats().bits();
    }
  }

  /** Strings one by one. */
  static final class Strings implements StringRival {
    private final MutableFilter<String> filter;

    Strings(long n, double fpp) {
      this.filter = filter(Keys.strings(), n, fpp);
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
    public long bits() {
      return filter.stats().bits();
    }
  }
}
