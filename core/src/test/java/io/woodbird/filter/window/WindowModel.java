package io.woodbird.filter.window;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongSupplier;

/** What a window has to remember, kept as a plain list of what happened. */
final class WindowModel implements LongSupplier {
  /*
   * Moments are numbered; at each of them something begins or returns, or the clock is set. Nothing
   * in here knows about generations.
   */
  private final long span;
  private final long lastKeys;
  private final List<Put> puts = new ArrayList<>();
  private final List<Long> passed = new ArrayList<>(); // By moment: the clock's forward steps.
  private long clock;

  /** A put from one moment to another, the last one there is while it has not returned. */
  private static final class Put {
    private final long key;
    private final int called;
    private int returned = Integer.MAX_VALUE;

    Put(long key, int called) {
      this.key = key;
      this.called = called;
    }
  }

  /** Of a time span, or 0 and a number of keys. */
  WindowModel(long span, long lastKeys) {
    this.span = span;
    this.lastKeys = lastKeys;
    this.passed.add(0L);
  }

  /** The clock as the filter reads it. */
  @Override
  public synchronized long getAsLong() {
    return clock;
  }

  /** Sets the clock forward or back. */
  synchronized void move(long nanos) {
    clock += nanos;
    int last = passed.size() - 1;
    passed.add(passed.get(last) + Math.max(0, nanos));
  }

  /** A moment: something is called or returns. */
  synchronized int moment() {
    passed.add(passed.get(passed.size() - 1));
    return passed.size() - 1;
  }

  /** Notes that a put is called; to be given to {@link #returned}. */
  synchronized Object called(long key) {
    Put put = new Put(key, moment());
    puts.add(put);
    return put;
  }

  /** Notes that a put has returned. */
  synchronized void returned(Object put) {
    ((Put) put).returned = moment();
  }

  /** Whether a key lay in the window at every moment from one to another, and may not be denied. */
  synchronized boolean mustKnow(long key, int from, int to) {
    for (int moment = from; moment <= to; moment++) {
      int now = moment;
      if (puts.stream().noneMatch(put -> put.key == key && isHere(put, now))) {
        return false;
      }
    }
    return true;
  }

  private boolean isHere(Put put, int now) {
    if (put.returned > now) {
      return false;
    }
    return span > 0
        ? passed.get(now) - passed.get(put.called) < span
        : othersPut(put.key, put.called, now) < lastKeys;
  }

  /** Whether two puts of one key may not both say that it was new. */
  synchronized boolean onlyOneIsFirst(Object one, Object other) {
    Put a = (Put) one;
    Put b = (Put) other;
    int from = Math.min(a.called, b.called);
    int to = Math.max(a.returned, b.returned);
    if (a == b || a.key != b.key) {
      return false;
    }
    return span > 0
        ? passed.get(to) - passed.get(from) < span
        : othersPut(a.key, from, to) < lastKeys;
  }

  private int othersPut(long key, int from, int to) {
    Set<Long> others = new HashSet<>();
    for (Put other : puts) {
      if (other.key != key && other.returned > from && other.called <= to) {
        others.add(other.key);
      }
    }
    return others.size();
  }
}
