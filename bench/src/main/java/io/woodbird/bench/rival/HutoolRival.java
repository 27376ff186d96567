package io.woodbird.bench.rival;

import cn.hutool.bloomfilter.BitSetBloomFilter;

/**
 * Hutool's BitSetBloomFilter. It takes Strings only, and no fpp but bits per key and a number of
 * hashes: here the fewest that should give the fpp.
 */
final class HutoolRival implements StringRival {
  /** It has eight hash functions. */
  private static final int MOST_HASHES = 8;

  private final BitSetBloomFilter filter;
  private final long bits;

  HutoolRival(long n, double fpp) {
    int bitsPerKey = (int) Math.ceil(-Math.log(fpp) / (Math.log(2) * Math.log(2)));
    int hashes = (int) Math.min(MOST_HASHES, Math.round(bitsPerKey * Math.log(2)));
    // Its first argument, "the most records", times the number of hashes are its bits.
    int records = Math.toIntExact((n * bitsPerKey + hashes - 1) / hashes);
    filter = new BitSetBloomFilter(records, Math.toIntExact(n), hashes);
    bits = (long) records * hashes;
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
    return bits;
  }
}
