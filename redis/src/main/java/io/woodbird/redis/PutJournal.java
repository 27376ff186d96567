package io.woodbird.redis;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLongArray;

/** The hashes of the last puts of one writer, to be put again when a server may have lost them. */
final class PutJournal {
  /*
   * A ring. A put is noted before it is sent, so that whoever puts the journal again finds every put
   * that was ever acknowledged.
   *
   * To put all of it again takes a second, in which the next server may die. So the journal keeps
   * marks. A mark says, shard by shard: data that has counted so many puts holds every hash before
   * this place of the journal. (The data of a shard is a prefix of what was done to it: a replica or a
   * dump may be late, but has no gaps.) When a shard comes back with fewer puts than a mark says,
   * the mark is void for it, as the count goes on from there with other puts. What is behind the
   * last mark but one must be put again: whoever counted the puts that a shard came back with may
   * have counted a few new ones too.
   *
   * If that place has fallen out of the ring, something may be lost that this writer can't put
   * again, and it does not vouch for the shard.
   */
  private static final int PARTS = 32;
  private static final int MARKS = 64;
  private static final long VOID = Long.MAX_VALUE;

  private final long[] ring;
  private final int partSize;
  private final TreeSet<Long> inFlight = new TreeSet<>();
  private final long[] places = new long[MARKS];
  private final long[][] counts = new long[MARKS][];
  private int marks;
  private long next;

  PutJournal(int capacity) {
    partSize = Math.max(1, capacity / PARTS);
    ring = new long[partSize * PARTS];
  }

  /**
   * Notes hashes that will be put.
   *
   * @param puts how many puts each shard has counted
   * @return their place
   */
  synchronized long add(long[] hashes, int from, int to, AtomicLongArray puts) {
    long place = next;
    inFlight.add(place);
    boolean mark = false;
    for (int i = from; i < to; i++) {
      mark |= next % partSize == 0;
      ring[(int) (next++ % ring.length)] = hashes[i];
    }
    if (mark) {
      mark(inFlight.first(), copy(puts));
    }
    return place;
  }

  /** Notes that the put of a place has ended, well or not. */
  synchronized void ended(long place) {
    inFlight.remove(place);
  }

  private void mark(long place, long[] seen) {
    int at = marks++ % MARKS;
    places[at] = place;
    counts[at] = seen;
  }

  private static long[] copy(AtomicLongArray puts) {
    long[] copy = new long[puts.length()];
    Arrays.setAll(copy, puts::get);
    return copy;
  }

  /** Goes on with another generation, which has all that was put before. */
  synchronized void goOnWith(AtomicLongArray puts) {
    Arrays.fill(counts, null);
    long place = inFlight.isEmpty() ? next : inFlight.first();
    mark(place, copy(puts));
    mark(place, copy(puts));
  }

  private void cameBack(int shard, long puts) {
    for (long[] seen : counts) {
      if (seen != null && shard < seen.length && seen[shard] > puts) {
        seen[shard] = VOID;
      }
    }
  }

  /**
   * Notes that shards which had come back have all before a place.
   *
   * @param place the place
   * @param shards how many shards the filter has
   * @param bases with how many puts each of them came back
   * @param puts how many puts each has counted now
   */
  synchronized void restored(
      long place, int shards, Map<Integer, Long> bases, Map<Integer, Long> puts) {
    bases.forEach(this::cameBack); // Also the marks that were made since.
    long[] seen = new long[shards];
    Arrays.fill(seen, VOID);
    puts.forEach((shard, count) -> seen[shard] = count);
    mark(place, seen);
  }

  /** The place from which on a shard that came back with so many puts may lack something. */
  synchronized long from(int shard, long puts) {
    cameBack(shard, puts);
    long last = 0;
    long lastButOne = 0;
    for (int i = 0; i < MARKS; i++) {
      long[] seen = counts[i];
      if (seen != null && shard < seen.length && seen[shard] != VOID) {
        if (places[i] >= last) {
          lastButOne = last;
          last = places[i];
        } else {
          lastButOne = Math.max(lastButOne, places[i]);
        }
      }
    }
    return lastButOne;
  }

  /** Whether the hash of a place, and all behind it, are still here. */
  synchronized boolean reaches(long place) {
    return next - ring.length <= place;
  }

  /** Hashes from a place on, and the place behind them. */
  static final class Part {
    private final long[] hashes;
    private final long end;

    Part(long[] hashes, long end) {
      this.hashes = hashes;
      this.end = end;
    }

    long[] hashes() {
      return hashes;
    }

    long end() {
      return end;
    }
  }

  /** The hashes from a place on, as far as they are still here. */
  synchronized Part since(long place) {
    long from = Math.max(place, next - ring.length);
    long[] hashes = new long[(int) (next - from)];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = ring[(int) ((from + i) % ring.length)];
    }
    return new Part(hashes, next);
  }

  synchronized boolean isEmpty() {
    return next == 0;
  }
}
