package io.woodbird.filter.bloom;

import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.MergeableFilter;
import io.woodbird.file.DataSource;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.words.HeapWords;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A counting Bloom filter on the heap: what the textbooks describe, in cache-sized blocks. */
public final class CountingBloomFilter<K> extends HeapFilter<K> implements MergeableFilter<K> {
  /*
   * Putting and removing lock one of 64 parts, as all counters of a key change together or not at all.
   * Questions do not lock: they see each counter before or after a change. A counter that reached 15
   * stays there: how many keys it stands for is no longer known, and lowering it could deny one.
   */
  private static final int LOCKS = 64;

  private final BlockedBloom layout;
  private final HeapWords words;
  private final Counters counters;
  private final ReentrantLock[] locks = new ReentrantLock[LOCKS];

  public CountingBloomFilter(FilterSpec<K> spec, BlockedBloom layout) {
    super(spec);
    this.layout = layout;
    this.words = new HeapWords(4 * BlockedBloom.WORDS * layout.blockCount());
    this.counters = new Counters(layout, words);
    for (int i = 0; i < LOCKS; i++) {
      locks[i] = new ReentrantLock();
    }
  }

  public static <K> CountingBloomFilter<K> empty(FilterSpec<K> spec) {
    requireRoom(spec, plan(spec.expectedKeys(), spec.promisedFpp()));
    return new CountingBloomFilter<>(spec, layout(spec.expectedKeys(), spec.promisedFpp()));
  }

  /** Returns the size of a filter: four bits where a Bloom filter has one. */
  public static FilterPlan plan(long keys, double fpp) {
    BlockedBloom layout = layout(keys, fpp);
    return plan("counting", keys, BlockedBloomSize.fpp(layout, keys), 4 * layout.bitCount());
  }

  private static BlockedBloom layout(long keys, double fpp) {
    if (keys <= BlockedBloom.MAX_BLOCKS * BlockedBloom.BITS) {
      BlockedBloom layout = BlockedBloomSize.forFpp(keys, fpp);
      if (layout.blockCount() <= BlockedBloom.MAX_BLOCKS / 4) {
        return layout;
      }
    }
    throw tooMany(keys, fpp);
  }

  HeapWords words() {
    return words;
  }

  @Override
  public boolean mightContainHash(long hash) {
    return counters.zeroWord(hash) < 0;
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      touched |=
          words.get(4 * BlockedBloom.WORDS * BlockedBloom.block(hashes[i], layout.blockCount()));
    }
    use(touched);
  }

  @Override
  public boolean putHash(long hash) {
    lock(hash);
    try {
      boolean fresh = !mightContainHash(hash);
      counters.visit(hash, (word, shift) -> change(word, shift, 1));
      return fresh;
    } finally {
      unlock(hash);
    }
  }

  @Override
  public boolean removeHash(long hash) {
    lock(hash);
    try {
      return mightContainHash(hash)
          && counters.visit(hash, (word, shift) -> change(word, shift, -1));
    } finally {
      unlock(hash);
    }
  }

  /** Changes a counter, unless it is stuck. */
  private boolean change(long word, int shift, long by) {
    long old = words.get(word);
    long counter = old >>> shift & Counters.STUCK;
    // It is zero already if both blocks of a key that was never put are one and name it twice.
    if (counter != Counters.STUCK && counter + by >= 0) {
      words.set(word, old + (by << shift));
    }
    return true;
  }

  /** Locks the parts of a hash's one or two blocks, always in the same order. */
  private void lock(long hash) {
    int first = part(hash);
    int second = part(layout.shape().blocks() == 1 ? hash : BlockedBloom.other(hash));
    locks[Math.min(first, second)].lock();
    locks[Math.max(first, second)].lock();
  }

  private void unlock(long hash) {
    int first = part(hash);
    int second = part(layout.shape().blocks() == 1 ? hash : BlockedBloom.other(hash));
    locks[Math.max(first, second)].unlock();
    locks[Math.min(first, second)].unlock();
  }

  private int part(long hash) {
    return (int) (BlockedBloom.block(hash, layout.blockCount()) % LOCKS);
  }

  @Override
  public void merge(MergeableFilter<K> other) {
    requireSameShape(other);
    CountingBloomFilter<K> from = (CountingBloomFilter<K>) other;
    for (long block = 0; block < layout.blockCount(); block++) {
      ReentrantLock lock = locks[(int) (block % LOCKS)];
      lock.lock();
      try {
        for (long word = 32 * block; word < 32 * block + 32; word++) {
          words.set(word, sum(words.get(word), from.words.get(word)));
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** Adds sixteen counters to sixteen others; what passes 15 is stuck. */
  private static long sum(long a, long b) {
    long result = 0;
    for (int shift = 0; shift < 64; shift += 4) {
      long both = (a >>> shift & Counters.STUCK) + (b >>> shift & Counters.STUCK);
      result |= Math.min(Counters.STUCK, both) << shift;
    }
    return result;
  }

  @Override
  public FilterStats stats() {
    return CountingCodec.stats(layout, spec(), words, List.of());
  }

  @Override
  public Image image() {
    return new Image(CountingCodec.header(layout, spec()), DataSource.inverted(words));
  }
}
