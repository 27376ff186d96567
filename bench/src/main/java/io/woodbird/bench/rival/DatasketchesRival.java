package io.woodbird.bench.rival;

import org.apache.datasketches.filters.bloomfilter.BloomFilter;
import org.apache.datasketches.filters.bloomfilter.BloomFilterBuilder;

/**
 * DataSketches' BloomFilter, version 7: the last that runs on Java 17. The classes are alike and
 * written out: a shared one would call the filter through an interface, which its users do not.
 */
final class DatasketchesRival {
  private DatasketchesRival() {}

  static final class Longs implements LongRival {
    private final BloomFilter filter;

    Longs(long n, double fpp) {
      filter = BloomFilterBuilder.createByAccuracy(n, fpp);
    }

    @Override
    public void put(long key) {
      filter.update(key);
    }

    @Override
    public boolean mightContain(long key) {
      return filter.query(key);
    }

    @Override
    public long bits() {
      return filter.getCapacity();
    }
  }

  static final class Strings implements StringRival {
    private final BloomFilter filter;

    Strings(long n, double fpp) {
      filter = BloomFilterBuilder.createByAccuracy(n, fpp);
    }

    @Override
    public void put(String key) {
      filter.update(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.query(key);
    }

    @Override
    public long bits() {
      return filter.getCapacity();
    }
  }
}
