package io.woodbird.filter.quotient;

import io.woodbird.FilterStats;
import io.woodbird.filter.FilterSpec;
import io.woodbird.words.WordSource;
import java.util.List;

/** The shards of a stored quotient filter, and the place of a hash in them. */
interface QuotientPlaces {
  /**
   * Returns a shard that reads from {@code words}. Each question makes a new one: a filter may have
   * a shard per few hundred bytes of its file, and keeping them all would take more memory than the
   * file.
   */
  StoredQuotientShard shard(int number, WordSource words);

  /** The number of the shard of a hash. */
  int shardOf(long hash);

  /** The quotient of a hash in its shard. */
  int quotientOf(long hash);

  /** Whether a hash is in its shard. */
  boolean isIn(QuotientReader shard, long hash);

  FilterStats stats(FilterSpec<?> spec, WordSource words, List<String> doubts);
}
