package io.woodbird.bench.rival;

import java.util.HashSet;
import java.util.Set;

/** java.util.HashSet. */
final class HashSetRival {
  private HashSetRival() {}

  /**
   * Bits by the usual layout of a 64-bit JVM with compressed pointers: a node of 32 bytes per key,
   * the key, and four bytes for each slot of a table that is at most three quarters full.
   */
  private static long bits(int size, int keyBytes) {
    long slots = 16;
    while (slots * 3 / 4 < size) {
      slots *= 2;
    }
    return 8 * ((32L + keyBytes) * size + 4 * slots);
  }

  static final class Longs implements LongRival {
    private final Set<Long> set = new HashSet<>();

    @Override
    public void put(long key) {
      set.add(key);
    }

    @Override
    public boolean mightContain(long key) {
      return set.contains(key);
    }

    @Override
    public long bits() {
      return HashSetRival.bits(set.size(), 24);
    }
  }

  static final class Strings implements StringRival {
    private final Set<String> set = new HashSet<>();

    @Override
    public void put(String key) {
      set.add(key);
    }

    @Override
    public boolean mightContain(String key) {
      return set.contains(key);
    }

    @Override
    public long bits() {
      return HashSetRival.bits(set.size(), 24 + 16 + 64); // the String, its array, 60 characters
    }
  }
}
