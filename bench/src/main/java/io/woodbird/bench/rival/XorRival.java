package io.woodbird.bench.rival;

import org.fastfilter.xor.Xor8;

/** fastfilter's Xor8: collects the keys, then builds. */
final class XorRival implements LongRival {
  private long[] keys;
  private int size;
  private Xor8 filter;

  XorRival(long n) {
    keys = new long[Math.toIntExact(n)];
  }

  @Override
  public void put(long key) {
    keys[size++] = key;
  }

  @Override
  public void finish() {
    filter = Xor8.construct(keys);
    keys = null;
  }

  @Override
  public boolean mightContain(long key) {
    return filter.mayContain(key);
  }

  @Override
  public long bits() {
    return filter.getBitCount();
  }
}
