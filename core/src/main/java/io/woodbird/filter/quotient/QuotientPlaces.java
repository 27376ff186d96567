package io.woodbird.filter.quotient;

import io.woodbird.FilterStats;
import io.woodbird.filter.FilterSpec;
import io.woodbird.words.WordSource;
import java.util.List;

/** How a stored quotient filter is divided into shards, and where in them a hash belongs. */
interface QuotientPlaces {
  /**
   * A shard, read from some words. Made anew for each question: a filter may have as many shards as
   * its file has hundreds of bytes, and to keep them all would take more memory than the file.
   */
  StoredQuotientShard shard(int number, WordSource words);

  /** The number of the shard of a hash. */
  int shardOf(long hash);

  /** The quotient of a hash in its shard. */
  int quotientOf(long hash);

  /** Whether a hash is in its shard. */
  boolean isIn(QuotientReader shard, long hash);

  /** Describes the filter. */
  FilterStats stats(FilterSpec<?> spec, WordSource words, List<String> doubts);
}
