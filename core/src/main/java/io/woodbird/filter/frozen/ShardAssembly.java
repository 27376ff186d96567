package io.woodbird.filter.frozen;

import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import java.util.List;

/** Puts solved shards together: says where each begins, and what table and header must say. */
public final class ShardAssembly {
  private final ShardPlan plan;
  private final long[] table;
  private int shards;
  private long nextWord;
  private long keys;
  private double fppSum;

  /** Begins a filter without shards. */
  public ShardAssembly(ShardPlan plan) {
    this.plan = plan;
    this.table = new long[ShardTable.ENTRY_WORDS << plan.shardBits()];
    this.nextWord = table.length;
  }

  /**
   * Adds the next shard.
   *
   * @param entry from {@link ShardSolver.Shard#entry}
   * @param words how many words of data it has
   * @param fpp from {@link ShardSolver.Shard#fpp}
   * @return the word where its data begins
   */
  public long add(long[] entry, int words, double fpp) {
    long start = nextWord;
    int at = shards * ShardTable.ENTRY_WORDS;
    System.arraycopy(entry, 0, table, at, ShardTable.ENTRY_WORDS);
    table[at + ShardTable.START] = start;
    nextWord += words;
    keys += entry[ShardTable.KEYS];
    fppSum += entry[ShardTable.KEYS] * fpp;
    shards++;
    return start;
  }

  /** Returns the first words of the data, before those of the shards. */
  public long[] table() {
    requireAll();
    return table.clone();
  }

  /**
   * Returns the header.
   *
   * @throws IllegalArgumentException if the shards take more than the goal's bytes
   */
  public Header header(long seed, String keyId) {
    requireAll();
    long maxBytes = plan.goal().maxBytes();
    if (maxBytes > 0 && FileWriter.sizeInBytes(8 * nextWord) > maxBytes) {
      // Only if a hasher spreads keys badly over the shards; the hashers of Keys do not.
      throw plan.goal().tooSmall(keys, FileWriter.dataWords(maxBytes) - table.length);
    }
    double fpp = keys == 0 ? Math.pow(2, -plan.width()) : fppSum / keys;
    return new Header(
        plan.layout(),
        seed,
        keyId,
        keys,
        Math.min(1, fpp),
        keys,
        8 * nextWord,
        List.of((long) plan.shardBits(), (long) plan.width()));
  }

  private void requireAll() {
    if (shards != plan.shards()) {
      throw new IllegalStateException(
          "a filter of " + plan.shards() + " shards was given " + shards);
    }
  }
}
