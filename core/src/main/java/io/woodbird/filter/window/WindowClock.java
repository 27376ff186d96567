package io.woodbird.filter.window;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The time of a window: how far a clock has moved forward in all. */
final class WindowClock {
  /*
   * The clock may jump. When it jumps back, time goes on from where it was; when it jumps forward,
   * that is believed, as nobody can tell it from a long pause.
   *
   * Time is counted from an anchor: a reading of the clock and the time it stands for. Anchors are
   * made one after the other, each with a reading that is taken under the lock, and the time from
   * one to the next is what the clock moved forward. now() loads the anchor first and reads the
   * clock second. However long a thread pauses between any two lines, this holds:
   *
   *   now() - mark() is at most the sum of the clock's forward steps from the reading of mark() to
   *   the reading of now(), if that came later.
   *
   * For now() is its anchor's time plus what the clock has moved forward since its reading. An
   * anchor made after the mark is ahead of it by forward steps alone. One made before the mark is
   * behind it by at least what the clock moved forward up to the mark. So a window ends never too
   * early. It ends too late by at most what the clock jumps back after its last anchor.
   */
  private static final long STEP_NANOS = 1_000_000;

  /** Time stands still after 146 years, before sums overflow. */
  private static final long LAST = (1L << 62) - 1;

  private final LongSupplier nanos;
  private final ReentrantLock lock = new ReentrantLock();
  private volatile Anchor anchor; // Written under the lock.

  private record Anchor(long reading, long time) {
    long timeAt(long later) {
      long moved = later - reading; // Not compared: readings may overflow.
      return Math.min(LAST, time + Math.max(0, Math.min(LAST, moved)));
    }
  }

  WindowClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.anchor = new Anchor(nanos.getAsLong(), 0);
  }

  /** The nanoseconds since the beginning. Waits for nobody. */
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

  /** The time of this moment: no earlier moment is counted as later than it. */
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
