package io.woodbird.redis;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;

/** The hashes of the last puts of one writer, to be put again when a server may have lost them. */
final class PutJournal {
  /*
   * A ring of eight parts. A put is noted before it is sent, so that whoever puts the journal again
   * finds every put that was ever acknowledged.
   *
   * What falls out of the ring can't be put again. So when a part is complete, the number of puts
   * that each shard had seen is noted; when the part before it is overwritten, that becomes the
   * floor: a shard that comes back with fewer puts than its floor may lack keys that nobody can put
   * again, and this writer does not vouch for it. (One part more than needed: puts in flight.)
   */
  private static final int PARTS = 8;

  private final long[] ring;
  private final int partSize;
  private final long[][] seen = new long[PARTS][];
  private long[] floor = {};
  private long next;

  PutJournal(int capacity) {
    partSize = Math.max(1, capacity / PARTS);
    ring = new long[partSize * PARTS];
  }

  /** Notes hashes that will be put. */
  synchronized void add(long[] hashes, int from, int to, AtomicLongArray puts) {
    for (int i = from; i < to; i++) {
      if (next % partSize == 0 && next > 0) {
        partComplete(puts);
      }
      ring[(int) (next++ % ring.length)] = hashes[i];
    }
  }

  private void partComplete(AtomicLongArray puts) {
    long part = next / partSize; // The part that begins now.
    seen[(int) ((part - 1) % PARTS)] = copy(puts);
    if (part >= PARTS) {
      long[] older = seen[(int) ((part + 1) % PARTS)];
      floor = older == null ? copy(puts) : older;
    }
  }

  private static long[] copy(AtomicLongArray puts) {
    long[] copy = new long[puts.length()];
    Arrays.setAll(copy, puts::get);
    return copy;
  }

  /** Goes on with another generation, whose counts are not those of the old one. */
  synchronized void goOnWith(AtomicLongArray puts) {
    Arrays.fill(seen, null);
    floor = next > ring.length ? copy(puts) : new long[0];
  }

  /** Notes that a shard was vouched for with so many puts. */
  synchronized void lowerFloor(int shard, long puts) {
    for (int part = 0; part < PARTS; part++) {
      seen[part] = null; // Counted in a history that is over.
    }
    if (shard < floor.length && floor[shard] > puts) {
      floor = floor.clone();
      floor[shard] = puts;
    }
  }

  /** The fewest puts that a shard may come back with. */
  synchronized long floor(int shard) {
    return shard < floor.length ? floor[shard] : 0;
  }

  /** All hashes that are still here. */
  synchronized long[] hashes() {
    return Arrays.copyOf(ring, (int) Math.min(next, ring.length));
  }

  synchronized boolean isEmpty() {
    return next == 0;
  }
}
