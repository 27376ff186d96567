package io.woodbird.redis;

import io.woodbird.time.TimeSpan;
import java.time.Duration;

/**
 * How a filter is rebuilt.
 *
 * @param lease how long a builder whose process gives no sign of life keeps others from building; a
 *     source may be silent for longer
 * @param grace how long the old generation is kept, and takes every put, after the swap; if it is
 *     zero, the old generation is deleted at once
 * @param leastKeys the fewest keys the source must give; with fewer the old filter stays
 */
public record RedisRebuild(Duration lease, Duration grace, long leastKeys) {
  /** Checks. */
  public RedisRebuild {
    lease = TimeSpan.atLeastMillis("lease", 100, lease);
    grace = TimeSpan.notNegative("grace", grace);
    if (leastKeys < 0) {
      throw new IllegalArgumentException("leastKeys must not be negative: " + leastKeys);
    }
  }

  /** {@return a lease of 30 seconds, a grace of ten minutes, at least one key} */
  public static RedisRebuild usual() {
    return new RedisRebuild(Duration.ofSeconds(30), Duration.ofMinutes(10), 1);
  }
}
