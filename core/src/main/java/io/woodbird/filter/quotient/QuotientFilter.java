package io.woodbird.filter.quotient;

import io.woodbird.FilterFullException;
import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.MergeableFilter;
import io.woodbird.file.DataSource;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.Quotient;
import io.woodbird.words.WordSource;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.StampedLock;
import java.util.function.IntFunction;

/** A quotient filter on the heap: keys can be removed, and their number is exact. */
public final class QuotientFilter<K> extends HeapFilter<K> implements MergeableFilter<K> {
  /*
   * A put or remove locks one shard. A question reads without a lock and checks afterwards whether
   * a writer interfered (StampedLock). Then what it read may be nonsense, even an index out of
   * bounds, and it asks again under the lock.
   */
  private final Quotient layout;
  private final QuotientTable[] shards;
  private final StampedLock[] locks;

  private QuotientFilter(FilterSpec<K> spec, Quotient layout, IntFunction<QuotientTable> tables) {
    super(spec);
    this.layout = layout;
    this.shards = new QuotientTable[layout.shards()];
    this.locks = new StampedLock[layout.shards()];
    for (int i = 0; i < shards.length; i++) {
      shards[i] = tables.apply(i);
      locks[i] = new StampedLock();
    }
  }

  public static <K> QuotientFilter<K> empty(FilterSpec<K> spec) {
    requireRoom(spec, plan(spec.expectedKeys(), spec.promisedFpp()));
    return empty(spec, layout(spec.expectedKeys(), spec.promisedFpp()));
  }

  /** Returns the size of a filter. */
  public static FilterPlan plan(long keys, double fpp) {
    Quotient layout = layout(keys, fpp);
    return plan("deletable", keys, layout.fpp(keys), layout.bitCount());
  }

  private static Quotient layout(long keys, double fpp) {
    if (keys > MAX_KEYS) {
      throw tooMany(keys, fpp);
    }
    return Quotient.forFpp(keys, fpp);
  }

  /** Makes an empty filter of a layout. */
  static <K> QuotientFilter<K> empty(FilterSpec<K> spec, Quotient layout) {
    return new QuotientFilter<>(
        spec,
        layout,
        i -> new QuotientTable(layout.quotients(), layout.slots(), layout.remainderBits()));
  }

  /** Makes a filter from stored words. */
  static <K> QuotientFilter<K> load(FilterSpec<K> spec, Quotient layout, WordSource words) {
    long size = QuotientTable.storedWords(layout.slots(), layout.remainderBits());
    return new QuotientFilter<>(
        spec,
        layout,
        i ->
            QuotientTable.load(
                layout.quotients(), layout.slots(), layout.remainderBits(), words, i * size));
  }

  /** Whether the tables are as this class would write them. */
  boolean isSound() {
    for (QuotientTable table : shards) {
      if (!table.isSound(table.count())) {
        return false;
      }
    }
    return true;
  }

  @Override
  public boolean mightContainHash(long hash) {
    int shard = layout.shard(hash);
    long inShard = layout.inShard(hash);
    int quotient = layout.quotient(inShard);
    long remainder = layout.remainder(inShard);
    StampedLock lock = locks[shard];
    QuotientTable table = shards[shard];
    long stamp = lock.tryOptimisticRead();
    // A concurrent write can't cause an index out of bounds here: the number of slots is fixed.
    int found = table.containsBit(quotient, remainder);
    if (found < 0
        || table.isChanging()
        || !lock.validate(stamp)) { // Also invalid if a writer was active before.
      found = look(shard, quotient, remainder);
    }
    return found != 0;
  }

  /** Handles the unusual cases too; reads under the lock if a writer interferes. */
  private int look(int shard, int quotient, long remainder) {
    StampedLock lock = locks[shard];
    QuotientTable table = shards[shard];
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0 && !table.isChanging()) {
      try {
        int slot = table.find(quotient, remainder);
        if (lock.validate(stamp)) {
          return slot >= 0 ? 1 : 0;
        }
      } catch (IndexOutOfBoundsException e) {
        if (lock.validate(stamp)) {
          throw e; // No writer interfered, so it is a bug.
        }
      }
    }
    stamp = lock.readLock();
    try {
      table.requireSound();
      return table.find(quotient, remainder) >= 0 ? 1 : 0;
    } finally {
      lock.unlockRead(stamp);
    }
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      int quotient = layout.quotient(layout.inShard(hashes[i]));
      touched |= shards[layout.shard(hashes[i])].touch(quotient);
    }
    use(touched);
  }

  @Override
  public boolean putHash(long hash) {
    long inShard = layout.inShard(hash);
    return add(layout.shard(hash), layout.quotient(inShard), layout.remainder(inShard));
  }

  private boolean add(int shard, int quotient, long remainder) {
    StampedLock lock = locks[shard];
    long stamp = lock.writeLock();
    try {
      int fresh = shards[shard].put(quotient, remainder);
      if (fresh < 0) {
        throw new FilterFullException(
            String.format(
                Locale.ROOT,
                "the filter was made for %,d keys and has no room for another where it belongs; make"
                    + " a larger one",
                spec().expectedKeys()));
      }
      return fresh == 1;
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public boolean removeHash(long hash) {
    int shard = layout.shard(hash);
    long inShard = layout.inShard(hash);
    StampedLock lock = locks[shard];
    long stamp = lock.writeLock();
    try {
      return shards[shard].remove(layout.quotient(inShard), layout.remainder(inShard));
    } finally {
      lock.unlockWrite(stamp);
    }
  }

  @Override
  public void merge(MergeableFilter<K> other) {
    requireSameShape(other);
    QuotientFilter<K> from = (QuotientFilter<K>) other;
    for (int shard = 0; shard < shards.length; shard++) {
      QuotientTable copy = from.snapshot(shard);
      int to = shard;
      copy.forEach((quotient, remainder) -> add(to, quotient, remainder));
    }
  }

  /** Returns a copy of a shard at one moment. */
  private QuotientTable snapshot(int shard) {
    long stamp = locks[shard].readLock();
    try {
      return shards[shard].copy();
    } finally {
      locks[shard].unlockRead(stamp);
    }
  }

  private long count() {
    long count = 0;
    for (int i = 0; i < shards.length; i++) {
      long stamp = locks[i].readLock();
      count += shards[i].count();
      locks[i].unlockRead(stamp);
    }
    return count;
  }

  @Override
  public FilterStats stats() {
    return QuotientCodec.stats(layout, spec(), count(), List.of());
  }

  @Override
  public Image image() {
    return new Image(QuotientCodec.header(layout, spec()), data());
  }

  /** Returns the words of all shards, each as it is at one moment. */
  private DataSource data() {
    int size = QuotientTable.storedWords(layout.slots(), layout.remainderBits());
    return new DataSource() {
      private int shard = -1;
      private QuotientTable copy = shards[0];

      @Override
      public void read(long offset, ByteBuffer target) {
        for (long word = offset / 8; target.hasRemaining(); word++) {
          if (word / size != shard) {
            shard = (int) (word / size);
            copy = snapshot(shard);
          }
          target.putLong(~copy.storedWord((int) (word % size)));
        }
      }
    };
  }
}
