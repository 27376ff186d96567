package io.woodbird.bench.rival;

import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;

/** The Bloom filters of fastfilter that take keys one by one. */
final class FastfilterRival {
  /*
   * The library only builds from an array of all keys, and its constructors are not public. An
   * array of n zeros gives a filter sized for n keys that holds one, the key 0; then keys are added.
   * BlockedBloom counts bits in an int, so it ends at 195 million keys of 11 bits.
   */
  private static final int BITS_PER_KEY = 11;

  /** What Bloom needs for 1 %; its k = 6 or 7 comes from bits * ln 2. */
  private static final double BLOOM_BITS_PER_KEY = 9.59;

  private FastfilterRival() {}

  static LongRival blocked(long n) {
    return new Blocked(BlockedBloom.construct(new long[Math.toIntExact(n)], BITS_PER_KEY));
  }

  static LongRival bloom(long n) {
    return new Classic(Bloom.construct(new long[Math.toIntExact(n)], BLOOM_BITS_PER_KEY));
  }

  private record Blocked(BlockedBloom filter) implements LongRival {
    @Override
    public void put(long key) {
      filter.add(key);
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

  private record Classic(Bloom filter) implements LongRival {
    @Override
    public void put(long key) {
      filter.add(key);
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
}
