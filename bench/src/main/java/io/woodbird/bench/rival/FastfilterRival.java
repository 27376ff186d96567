package io.woodbird.bench.rival;

import org.fastfilter.Filter;
import org.fastfilter.bloom.BlockedBloom;
import org.fastfilter.bloom.Bloom;

/** The Bloom filters of fastfilter that take keys one by one. */
final class FastfilterRival {
  /*
   * The library only builds from an array of all keys, and its constructors are not public. An
   * array of n zeros gives a filter sized for n keys that holds one, the key 0; then keys are added.
   * BlockedBloom counts bits in an int, so it ends at 195 million keys of 11 bits.
   */
  private static final int MOST_BITS_PER_KEY = 64;

  private FastfilterRival() {}

  static LongRival blocked(long n, double fpp) {
    int bits = Math.min(MOST_BITS_PER_KEY, blockedBitsPerKey(fpp));
    return new Added(BlockedBloom.construct(new long[Math.toIntExact(n)], bits));
  }

  /**
   * Whole bits per key that give the fpp: 11 give 0.96 %. It sets four bits whatever the size, two
   * in each of two words, so a key in a filter that is filled to the share s is found by chance
   * with s^4; the second term is for the uneven filling of the words. Found by measuring:
   * SpaceSection.
   */
  private static int blockedBitsPerKey(double fpp) {
    double share = Math.pow(fpp, 0.25);
    return (int) Math.ceil(-4 / Math.log(1 - share) + 0.08 / share);
  }

  static LongRival bloom(long n, double fpp) {
    double bits = -Math.log(fpp) / (Math.log(2) * Math.log(2));
    return new Added(Bloom.construct(new long[Math.toIntExact(n)], bits));
  }

  private record Added(Filter filter) implements LongRival {
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
