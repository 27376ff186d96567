package io.woodbird.redis.link;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Spares questions the time-out of a server that does not answer: for a second they are "unknown"
 * at once, then one of them tries again.
 */
public final class CircuitBreaker {
  /** One question a second finds out whether the server answers again. */
  private static final long PAUSE_NANOS = 1_000_000_000L;

  private static final long NONE = Long.MIN_VALUE;

  private final Time time;
  private final long slowNanos;
  private final AtomicLong until = new AtomicLong(NONE);

  /**
   * Makes one.
   *
   * @param slowNanos a question without an answer that took longer has met a silent server
   */
  public CircuitBreaker(Time time, long slowNanos) {
    this.time = time;
    this.slowNanos = slowNanos;
  }

  /** Whether a question should not be asked now. */
  public boolean isOn() {
    long end = until.get();
    if (end == NONE) {
      return false;
    }
    long now = time.nanoTime();
    return now - end < 0 || !until.compareAndSet(end, now + PAUSE_NANOS);
  }

  /** Takes note of how a question went. */
  public void note(boolean answered, long beganNanos) {
    long now = time.nanoTime();
    if (!answered && now - beganNanos > slowNanos) {
      until.set(now + PAUSE_NANOS);
    } else if (until.get() != NONE) {
      until.set(NONE);
    }
  }
}
