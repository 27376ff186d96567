package io.woodbird.filter.window;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The time of a window: the sum of all forward steps of a clock. */
final class WindowClock {
  /*
   * The clock may jump. When it jumps back, time continues from where it was. A jump forward counts
   * as time, because it looks like a long pause.
   *
   * Time is counted from an anchor: a reading of the clock and the time at that reading. Anchors
   * are made one after the other, each with a reading that is taken under the lock. The time
   * between two anchors is what the clock moved forward. now() loads the anchor first and reads the
   * clock second. However long a thread pauses between any two lines, this holds:
   *
   *   now() - mark() is at most the sum of the clock's forward steps from the reading of mark() to
   *   the reading of now(), if that came later.
   *
   * The reason: now() is its anchor's time plus what the clock has moved forward since the anchor's
   * reading. An anchor made after the mark is ahead of it by forward steps alone. An anchor made
   * before the mark is behind it by at least what the clock moved forward up to the mark. So keys
   * never expire too early. They expire too late by at most what the clock jumps back after its
   * last anchor.
   */
  /** now() makes a new anchor when the clock moved forward by more than a millisecond, or back. */
  private static final long STEP_NANOS = 1_000_000;

  /** Time stops after 146 years, so that sums can't overflow. */
  private static final long LAST = (1L << 62) - 1;

  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Anchor anchor; // Written under the lock.

  private record Anchor(long reading, long time) {
    long timeAt(long later) {
      long moved = later - reading; // Not compared directly: readings may overflow.
      return Math.min(LAST, time + Math.max(0, Math.min(LAST, moved)));
    }
  }

  WindowClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.anchor = new Anchor(nanos.getAsLong(), 0);
  }

  /** Returns the nanoseconds since the window was made. Never waits for a lock. */
  long now() {
    Anchor from = anchor; // Before the clock, see above.
    long reading = nanos.getAsLong();
    long moved = reading - from.reading;
    if ((moved > STEP_NANOS || moved < 0) && lock.tryLock()) {
      try {
        return move();
      } finally {
        lock.unlock();
      }
    }
    return from.timeAt(reading);
  }

  /** Returns the time of this moment; no earlier moment has a later time. */
  long mark() {
    lock.lock();
    try {
      return move();
    } finally {
      lock.unlock();
    }
  }

  private long move() {
    long reading = nanos.getAsLong();
    Anchor next = new Anchor(reading, anchor.timeAt(reading));
    anchor = next;
    return next.time;
  }
}
