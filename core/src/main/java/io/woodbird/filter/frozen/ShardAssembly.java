package io.woodbird.filter.frozen;

import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import java.util.List;

/** Puts solved shards together: finds where each begins, and makes the table and the header. */
public final class ShardAssembly {
  private final int entriesPerShard;
  private final long[] table;
  private int added;
  private long nextWord;
  private long keys;
  private double fppSum;

  /** Begins a filter without shards. */
  ShardAssembly(int shardBits, int entriesPerShard) {
    this.entriesPerShard = entriesPerShard;
    this.table = new long[(entriesPerShard * ShardTable.ENTRY_WORDS) << shardBits];
    this.nextWord = table.length;
  }

  /**
   * Adds the next shard, or its second entry, and returns the word where its data begins. The first
   * entry says how many keys a shard has.
   */
  public long add(long[] entry, int words, double fpp) {
    long start = nextWord;
    int at = added * ShardTable.ENTRY_WORDS;
    System.arraycopy(entry, 0, table, at, ShardTable.ENTRY_WORDS);
    table[at + ShardTable.START] = start;
    nextWord += words;
    if (added % entriesPerShard == 0) {
      keys += entry[ShardTable.KEYS];
      fppSum += entry[ShardTable.KEYS] * fpp;
    }
    added++;
    return start;
  }

  /** Returns the first words of the data, before those of the shards. */
  public long[] table() {
    requireAll();
    return table.clone();
  }

  /** The average fpp, or {@code none} if there are no keys. */
  double fpp(double none) {
    requireAll();
    return keys == 0 ? none : Math.min(1, fppSum / keys);
  }

  Header header(LayoutId layout, long seed, String keyId, double fpp, List<Long> parameters) {
    requireAll();
    return new Header(layout, seed, keyId, keys, fpp, keys, 8 * nextWord, parameters);
  }

  private void requireAll() {
    int entries = table.length / ShardTable.ENTRY_WORDS;
    if (added != entries) {
      throw new IllegalStateException("a filter of " + entries + " entries was given " + added);
    }
  }
}
