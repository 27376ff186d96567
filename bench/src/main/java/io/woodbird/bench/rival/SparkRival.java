package io.woodbird.bench.rival;

import org.apache.spark.util.sketch.BloomFilter;

/**
 * Spark's BloomFilter. The classes are alike and written out: a shared one would call the filter
 * through an interface, which its users do not.
 */
final class SparkRival {
  private SparkRival() {}

  static final class Longs implements LongRival {
    private final BloomFilter filter;

    Longs(long n, double fpp) {
      filter = BloomFilter.create(n, fpp);
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
      return filter.bitSize();
    }
  }

  static final class Strings implements StringRival {
    private final BloomFilter filter;

    Strings(long n, double fpp) {
      filter = BloomFilter.create(n, fpp);
    }

    @Override
    public void put(String key) {
      filter.putString(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.mightContainString(key);
    }

    @Override
    public long bits() {
      return filter.bitSize();
    }
  }
}
