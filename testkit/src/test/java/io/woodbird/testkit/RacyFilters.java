package io.woodbird.testkit;

import io.woodbird.key.KeyHasher;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Filters that are right in one thread and wrong in two. */
final class RacyFilters {
  private RacyFilters() {}

  /** Lets others go on between a look and a change, which else only an idle machine does. */
  private static void pause() {
    LockSupport.parkNanos(1);
  }

  /** A small Bloom filter of four bits a key that reads a word, changes it and writes it back. */
  static final class LosesBits<K> extends ToyFilter<K> {
    private final long[] words;

    LosesBits(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      super(keys, expectedKeys, fpp, seed);
      words = new long[(int) (expectedKeys / 4 + 1)];
    }

    @Override
    public boolean mightContainHash(long hash) {
      boolean here = true;
      for (int i = 0; i < 64; i += 16) {
        here &= (words[word(hash >>> i)] >>> (hash >>> i) & 1) != 0;
      }
      return here;
    }

    @Override
    public boolean putHash(long hash) {
      boolean fresh = !mightContainHash(hash);
      for (int i = 0; i < 64; i += 16) {
        int word = word(hash >>> i);
        long read = words[word];
        pause();
        words[word] = read | 1L << (hash >>> i);
      }
      return fresh;
    }

    private int word(long bits) {
      return (int) ((bits >>> 6 & 1023) * words.length >>> 10);
    }
  }

  /** Asks, then puts: two threads may both hear that a key is new. */
  static final class TellsTwoThreads<K> extends ToyFilter<K> {
    private final Map<Long, Boolean> present = new ConcurrentHashMap<>();

    TellsTwoThreads(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
      super(keys, expectedKeys, fpp, seed);
    }

    @Override
    public boolean mightContainHash(long hash) {
      return present.containsKey(hash);
    }

    @Override
    public boolean putHash(long hash) {
      boolean fresh = !present.containsKey(hash);
      pause();
      present.put(hash, true);
      return fresh;
    }
  }
}
