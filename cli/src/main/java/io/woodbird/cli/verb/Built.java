package io.woodbird.cli.verb;

import io.woodbird.Filter;
import io.woodbird.FilterStats;

/** What the report of a build says about the filter. */
record Built(long keys, double fpp, double promisedFpp, long bytes) {
  static Built of(Filter<?> filter) {
    FilterStats stats = filter.stats();
    return new Built(
        stats.estimatedKeys(), stats.currentFpp(), stats.promisedFpp(), filter.sizeInBytes());
  }
}
