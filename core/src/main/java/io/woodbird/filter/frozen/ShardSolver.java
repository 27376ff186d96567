package io.woodbird.filter.frozen;

/** Builds one shard of a frozen filter. */
interface ShardSolver {
  /**
   * Builds a shard.
   *
   * @param sorted distinct hashes, ascending as unsigned numbers, all of this shard
   * @param count how many
   * @param wordLimit the most words it may take; only the fpp counts if it is Long.MAX_VALUE
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
     * Its line in the shard table, {@link ShardTable#ENTRY_WORDS} words, of which the first, the
     * place of the data, is yet unknown.
     */
    long[] entry() {
      return entry;
    }

    /** The data. */
    long[] words() {
      return words;
    }

    /** The fpp to expect. */
    double fpp() {
      return fpp;
    }
  }
}
