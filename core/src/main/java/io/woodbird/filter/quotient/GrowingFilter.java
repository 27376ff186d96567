package io.woodbird.filter.quotient;

import io.woodbird.FilterFullException;
import io.woodbird.FilterPlan;
import io.woodbird.FilterStats;
import io.woodbird.MergeableFilter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.Growing;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.StampedLock;

/** A quotient filter on the heap that grows with its number of keys. */
public final class GrowingFilter<K> extends HeapFilter<K> implements MergeableFilter<K> {
  /*
   * The first bits of a hash select its shard in a directory, as in extendible hashing: a full
   * shard splits in two, and the directory doubles when it must. A put or remove locks a shard, a
   * split locks the directory too. A question locks nothing: it discards what it read while a
   * writer was active, and looks a shard up again if the shard was split.
   */

  /** The most bits that choose a shard. Fixed by the file format. */
  private static final int MAX_SHARD_BITS = 26;

  /** A shard does not grow past 2^25 quotients. Only one key put 2^25 times gets there. */
  private static final int MOST_QUOTIENT_BITS = 25;

  /** The directory may have 64 times as many entries as there are shards. */
  static final int MAX_SPARSITY = 64;

  private final Growing layout;
  private final LongAdder count = new LongAdder();
  private final Object growing = new Object();
  private volatile Directory directory;
  private long shardCount; // Guarded by growing.

  private record Directory(int bits, AtomicReferenceArray<GrowingShard> shards) {
    static Directory of(int bits) {
      return new Directory(bits, new AtomicReferenceArray<>(1 << bits));
    }

    int indexOf(long hash) {
      return (int) (hash >>> 1 >>> (63 - bits));
    }

    GrowingShard shardOf(long hash) {
      return shards.get(indexOf(hash));
    }
  }

  public static <K> GrowingFilter<K> empty(FilterSpec<K> spec) {
    return new GrowingFilter<>(spec, Growing.forFpp(spec.expectedKeys(), spec.promisedFpp()));
  }

  /** Returns the size of a filter with {@code keys} keys that may grow to {@code maxKeys}. */
  public static FilterPlan plan(long keys, long maxKeys, double fpp) {
    Growing layout = Growing.forFpp(Math.max(keys, maxKeys), fpp);
    return plan("growing", keys, layout.fpp(keys), layout.bits(keys));
  }

  /** Makes an empty filter of a layout. */
  GrowingFilter(FilterSpec<K> spec, Growing layout) {
    this(spec, layout, List.of(new GrowingShard(layout, 0, Growing.FIRST_QUOTIENT_BITS)), 0);
  }

  /** Makes a filter of shards in the order of their bits. Together they cover all hashes. */
  GrowingFilter(FilterSpec<K> spec, Growing layout, List<GrowingShard> shards, long count) {
    super(spec);
    this.layout = layout;
    this.count.add(count);
    this.shardCount = shards.size();
    int bits = 0;
    for (GrowingShard shard : shards) {
      bits = Math.max(bits, shard.shardBits());
    }
    this.directory = Directory.of(bits);
    int at = 0;
    for (GrowingShard shard : shards) {
      int end = at + (1 << (bits - shard.shardBits()));
      while (at < end) {
        directory.shards.set(at++, shard);
      }
    }
  }

  @Override
  public boolean mightContainHash(long hash) {
    while (true) {
      GrowingShard shard = directory.shardOf(hash);
      StampedLock lock = shard.lock();
      long stamp = lock.tryOptimisticRead();
      if (stamp != 0 && !shard.isChanging()) {
        try {
          boolean found = shard.mightContain(hash);
          boolean split = shard.isSplit();
          if (lock.validate(stamp) && !split) {
            return found;
          }
        } catch (IndexOutOfBoundsException e) {
          if (lock.validate(stamp)) {
            throw e; // No writer interfered, so it is a bug.
          }
        }
      }
      stamp = lock.readLock();
      try {
        if (!shard.isSplit()) {
          shard.requireSound();
          return shard.mightContain(hash);
        }
      } finally {
        lock.unlockRead(stamp);
      }
    }
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      GrowingShard shard = directory.shardOf(hashes[i]);
      QuotientTable table = shard.table();
      int quotient = Growing.quotient(hashes[i], shard.shardBits(), shard.quotientBits());
      // A shard that grows at this moment may have a quotient that its old table has not.
      touched |= table.touch(Math.min(quotient, table.quotients() - 1));
    }
    use(touched);
  }

  @Override
  public boolean putHash(long hash) {
    while (true) {
      GrowingShard shard = directory.shardOf(hash);
      long stamp = shard.lock().writeLock();
      try {
        if (shard.isSplit()) {
          continue;
        }
        shard.requireSound();
        if (!shard.isFull()) {
          boolean fresh = !shard.mightContain(hash);
          shard.add(hash);
          count.increment();
          return fresh;
        }
        grow(shard, hash);
      } finally {
        shard.lock().unlockWrite(stamp);
      }
    }
  }

  /** Splits a shard or doubles its quotients. */
  private void grow(GrowingShard shard, long hash) {
    if (shard.quotientBits() >= Growing.MAX_QUOTIENT_BITS && shard.isEven()) {
      synchronized (growing) {
        if (mayHaveBits(shard.shardBits() + 1)) {
          split(shard, hash);
          return;
        }
      }
    }
    if (shard.quotientBits() >= MOST_QUOTIENT_BITS) {
      throw new FilterFullException(
          String.format(
              Locale.ROOT,
              "one of the %,d parts of the filter has %,d keys, more than it can hold: a key was put"
                  + " very often, or the hashes are not spread",
              shardCount,
              shard.table().count()));
    }
    shard.grow();
  }

  private boolean mayHaveBits(int bits) {
    return bits <= MAX_SHARD_BITS && 1L << bits <= MAX_SPARSITY * (shardCount + 1);
  }

  private void split(GrowingShard shard, long hash) {
    GrowingShard[] halves = shard.split();
    Directory old = directory;
    Directory next = old;
    if (shard.shardBits() == old.bits) {
      next = Directory.of(old.bits + 1);
      for (int i = 0; i < next.shards.length(); i++) {
        next.shards.set(i, old.shards.get(i >>> 1));
      }
    }
    shard.table().beginChange(); // The old shard must not be used if only a part is replaced.
    int size = 1 << (next.bits - shard.shardBits());
    int first = next.indexOf(hash) & -size;
    for (int i = 0; i < size; i++) {
      next.shards.set(first + i, halves[2 * i / size]);
    }
    shard.setSplit();
    shardCount++;
    directory = next;
    shard.table().endChange();
  }

  @Override
  public boolean removeHash(long hash) {
    while (true) {
      GrowingShard shard = directory.shardOf(hash);
      long stamp = shard.lock().writeLock();
      try {
        if (!shard.isSplit()) {
          shard.requireSound();
          boolean removed = shard.remove(hash);
          count.add(removed ? -1 : 0);
          return removed;
        }
      } finally {
        shard.lock().unlockWrite(stamp);
      }
    }
  }

  @Override
  public void merge(MergeableFilter<K> other) {
    requireSameShape(other);
    GrowingFilter<K> from = (GrowingFilter<K>) other;
    long added = from.count.sum();
    for (GrowingImage.Piece piece : from.pieces()) {
      piece.copy().forEach((quotient, payload) -> putKnown(piece, quotient, payload));
    }
    count.add(added);
  }

  private void putKnown(GrowingImage.Piece piece, int quotient, long payload) {
    int bits = piece.placeBits() + layout.bitsLeft(payload);
    putKnown(layout.hash(piece.place(quotient), piece.placeBits(), payload), bits);
  }

  /** Puts a key of whose hash only the first {@code bits} bits are known. */
  private void putKnown(long hash, int bits) {
    while (true) {
      GrowingShard shard = directory.shardOf(hash);
      long stamp = shard.lock().writeLock();
      try {
        if (shard.isSplit()) {
          continue;
        }
        shard.requireSound();
        if (shard.isFull()) {
          grow(shard, hash);
          continue;
        }
        if (bits >= shard.placeBits()) {
          shard.addKnown(hash, bits);
          return;
        }
      } finally {
        shard.lock().unlockWrite(stamp);
      }
      break; // A place here has more bits than are known, so the key may be in either half.
    }
    putKnown(hash, bits + 1);
    putKnown(hash | 1L << (63 - bits), bits + 1);
  }

  /** The shards as they are now, in the order of their bits. */
  private List<GrowingImage.Piece> pieces() {
    List<GrowingShard> shards = new ArrayList<>();
    Directory now;
    synchronized (growing) { // No shard is split meanwhile.
      now = directory;
      int at = 0;
      while (at < now.shards.length()) {
        shards.add(now.shards.get(at));
        at += 1 << (now.bits - now.shards.get(at).shardBits());
      }
    }
    // A shard may be split from here on, but then it keeps the keys that it had.
    List<GrowingImage.Piece> pieces = new ArrayList<>();
    long at = 0;
    for (GrowingShard shard : shards) {
      pieces.add(shard.piece(at >>> (now.bits - shard.shardBits())));
      at += 1L << (now.bits - shard.shardBits());
    }
    return pieces;
  }

  @Override
  protected List<Long> place() {
    return List.of((long) layout.fingerprintBits());
  }

  /**
   * How many keys are in. Removals of keys that were never put can take out more payloads than keys
   * were put, as a key without bits has several; no file may have fewer than no keys.
   */
  private long count() {
    return Math.max(0, count.sum());
  }

  @Override
  public FilterStats stats() {
    double fpp = 0;
    long bits = 0;
    long slots = 0;
    long payloads = 0;
    for (GrowingImage.Piece piece : pieces()) {
      fpp += GrowingCodec.fpp(piece.passes(), piece.shardBits(), piece.quotientBits());
      bits += 64L * (piece.storedWords() + Growing.ENTRY_WORDS);
      slots += piece.table().slots();
      payloads += piece.payloads();
    }
    double fill = (double) payloads / slots;
    return GrowingCodec.stats(layout, spec(), count(), bits, fill, fpp, List.of());
  }

  @Override
  public Image image() {
    long keys = count();
    List<GrowingImage.Piece> pieces = pieces();
    return new Image(GrowingCodec.header(layout, spec(), keys, pieces), new GrowingImage(pieces));
  }
}
