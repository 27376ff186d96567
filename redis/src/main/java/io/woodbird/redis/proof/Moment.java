package io.woodbird.redis.proof;

import io.woodbird.redis.link.Time;

/**
 * A moment by two clocks: the first stands still while the machine sleeps, the second can be set.
 */
public record Moment(long nanos, long wallMillis) {
  public static Moment now(Time time) {
    return new Moment(time.nanoTime(), time.wallMillis());
  }

  /** Whether it was that short a time ago, by both clocks. */
  public boolean isWithin(long mostNanos, Time time) {
    return time.nanoTime() - nanos <= mostNanos
        && time.wallMillis() - wallMillis <= mostNanos / 1_000_000;
  }
}
