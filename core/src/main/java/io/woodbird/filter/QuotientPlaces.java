package io.woodbird.filter;

import io.woodbird.FilterStats;
import io.woodbird.words.WordSource;
import java.util.List;

/** How a stored quotient filter is divided into shards, and where in them a hash belongs. */
interface QuotientPlaces {
  /** All shards, read from some words. */
  StoredQuotientShard[] shards(WordSource words);

  /** The number of the shard of a hash. */
  int shardOf(long hash);

  /** The quotient of a hash in its shard. */
  int quotientOf(long hash);

  /** Whether a hash is in its shard. */
  boolean isIn(QuotientReader shard, long hash);

  /** Describes the filter. */
  FilterStats stats(Setup<?> setup, WordSource words, List<String> doubts);
}
