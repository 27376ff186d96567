package io.woodbird.bench.rival;

import java.nio.ByteBuffer;
import orestes.bloomfilter.BloomFilter;
import orestes.bloomfilter.FilterBuilder;

/** Baqend's BloomFilter in memory, with its default hash, 32 bits of MurmurHash3. */
final class BaqendRival {
  private BaqendRival() {}

  private static <K> BloomFilter<K> filter(long n, double fpp) {
    return new FilterBuilder(Math.toIntExact(n), fpp).buildBloomFilter();
  }

  /** Its own way for a long would be through a String of digits; eight bytes are faster. */
  static final class Longs implements LongRival {
    private final BloomFilter<Long> filter;

    Longs(long n, double fpp) {
      filter = filter(n, fpp);
    }

    private static byte[] bytes(long key) {
      return ByteBuffer.allocate(Long.BYTES).putLong(key).array();
    }

    @Override
    public void put(long key) {
      filter.addRaw(bytes(key));
    }

    @Override
    public boolean mightContain(long key) {
      return filter.contains(bytes(key));
    }

    @Override
    public long bits() {
      return filter.getSize();
    }
  }

  static final class Strings implements StringRival {
    private final BloomFilter<String> filter;

    Strings(long n, double fpp) {
      filter = filter(n, fpp);
    }

    @Override
    public void put(String key) {
      filter.add(key);
    }

    @Override
    public boolean mightContain(String key) {
      return filter.contains(key);
    }

    @Override
    public long bits() {
      return filter.getSize();
    }
  }
}
