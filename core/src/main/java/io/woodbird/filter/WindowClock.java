package io.woodbird.filter;

import java.util.function.LongSupplier;

/** A clock that never goes back, over one that may. */
final class WindowClock {
  /*
   * When the clock below jumps back, time goes on from where it was; when it jumps forward, that is
   * believed, as nobody can tell it from a long pause.
   */
  private static final long SLACK_NANOS = 1_000_000;

  private final LongSupplier nanos;
  private final long started;
  private volatile long shift; // Written under this.
  private volatile long latest;

  WindowClock(LongSupplier nanos) {
    this.nanos = nanos;
    this.started = nanos.getAsLong();
  }

  /** The nanoseconds since the beginning. */
  long now() {
    long now = nanos.getAsLong() - started + shift;
    long seen = latest;
    if (now > seen + SLACK_NANOS) {
      latest = now; // Not always: it would be written by all threads all the time.
    } else if (now < seen) {
      return now < seen - SLACK_NANOS ? goOn() : seen;
    }
    return now;
  }

  private synchronized long goOn() {
    long seen = latest;
    long now = nanos.getAsLong() - started + shift;
    if (now < seen) {
      shift += seen - now;
    }
    return Math.max(now, seen);
  }
}
