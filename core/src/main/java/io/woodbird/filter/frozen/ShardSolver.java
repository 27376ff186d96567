package io.woodbird.filter.frozen;

/** Builds one shard of a frozen filter. */
public interface ShardSolver {
  /**
   * Builds a shard of the first {@code count} hashes, which are distinct and ascending as unsigned
   * numbers, in at most {@code wordLimit} words (Long.MAX_VALUE: no limit).
   */
  Shard solve(long[] sorted, int count, long wordLimit);

  /** A finished shard. */
  final class Shard {
    private final long[] entry;
    private final long[] words;
    private final double fpp;

    Shard(long[] entry, long[] words, double fpp) {
      this.entry = entry;
      this.words = words;
      this.fpp = fpp;
    }

    /**
     * Its entry in the shard table, {@link ShardTable#ENTRY_WORDS} words. The first word, where the
     * data begins, is not yet known.
     */
    public long[] entry() {
      return entry;
    }

    /** The data. */
    public long[] words() {
      return words;
    }

    /** The expected fpp. */
    public double fpp() {
      return fpp;
    }
  }
}
