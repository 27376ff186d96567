package io.woodbird.cli.verb;

import io.woodbird.Filter;
import io.woodbird.FilterStats;

/** The numbers of a filter, which may have gone straight into its file. */
record Built(long keys, double fpp, double promisedFpp, long bytes) {
  static Built of(Filter<?> filter) {
    FilterStats stats = filter.stats();
    return new Built(
        stats.estimatedKeys(), stats.currentFpp(), stats.promisedFpp(), filter.sizeInBytes());
  }
}
