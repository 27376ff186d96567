package io.woodbird.redis;

import java.util.TreeSet;

/** The hashes of the last puts of one writer, to be put again when a server may have lost them. */
final class PutJournal {
  /*
   * A ring from "base" to "next". A put is noted before it is sent, so that whoever puts the journal
   * again finds every put that was ever acknowledged and is not before the base. What is before it is
   * in data that a Required describes. Room for no hash at all is right for a writer whose puts are
   * confirmed one by one.
   */
  private final long[] ring;
  private final TreeSet<Long> inFlight = new TreeSet<>();
  private long base;
  private long next;

  PutJournal(int capacity) {
    ring = new long[capacity];
  }

  /** Notes hashes that will be put; returns their place, or -1 if there is no room for them. */
  synchronized long add(long[] hashes, int from, int to) {
    if (ring.length > 0 && next + (to - from) - base > ring.length) {
      return -1;
    }
    long place = next;
    inFlight.add(place);
    for (int i = from; i < to && ring.length > 0; i++) {
      ring[(int) (next % ring.length)] = hashes[i];
      next++;
    }
    return place;
  }

  /** Notes that the put of a place has ended, well or not. */
  synchronized void ended(long place) {
    inFlight.remove(place);
  }

  /** The place before which every put has ended. */
  synchronized long settled() {
    return inFlight.isEmpty() ? next : inFlight.first();
  }

  /** Forgets what is before a place. */
  synchronized void forgetBefore(long place) {
    base = Math.max(base, place);
  }

  /** The hashes that are kept. */
  synchronized long[] hashes() {
    long[] hashes = new long[(int) (next - base)];
    for (int i = 0; i < hashes.length; i++) {
      hashes[i] = ring[(int) ((base + i) % ring.length)];
    }
    return hashes;
  }

  synchronized boolean isEmpty() {
    return next == base;
  }
}
