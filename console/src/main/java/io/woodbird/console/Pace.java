package io.woodbird.console;

/**
 * A fixed number of steps a second. Late steps are skipped: after a stop of the process, or of the
 * whole machine, it goes on from now at the same pace.
 */
final class Pace {
  private final long stepNanos;
  private long due;

  Pace(long stepNanos, long now) {
    this.stepNanos = stepNanos;
    this.due = now;
  }

  /** Says how long to wait before the next step; call it once per step. */
  long nanosToNext(long now) {
    due = Math.max(due + stepNanos, now);
    return due - now;
  }
}
