package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import io.woodbird.words.WordSource;

/** Queries a filter that is exact over a known world. */
final class ExactKernel extends WordsKernel {
  /*
   * The first level is a ribbon filter of the keys. Some of the others pass it by chance. The second
   * level is a map from the keys and those others to one bit: 1 for keys, 0 for others. So a key
   * passes both levels, and none of the others does. A stranger that passes the first level finds
   * any bit in the second. If there are few others, there is no first level.
   */
  private final RibbonKernel ribbons;
  private final ShardTable table;
  private final boolean hasFirst;

  ExactKernel(WordSource words, ShardTable table, boolean hasFirst) {
    super(words);
    this.hasFirst = hasFirst;
    this.ribbons = new RibbonKernel(words, table);
    this.table = table;
  }

  @Override
  boolean lacks(long hash) {
    int entry = table.entryOf(hash);
    long inFirstLayer = Ribbon.inFirstLayer(hash, table.shardBits());
    return (hasFirst && ribbons.lacks(entry, inFirstLayer))
        || ribbons.value(entry + ShardTable.ENTRY_WORDS, Ribbon.inSecondLevel(inFirstLayer)) == 0;
  }

  /** Whether a hash passes the first level. */
  boolean passesFirstLevel(long hash) {
    return !hasFirst || !ribbons.lacks(hash);
  }

  @Override
  long touch(long hash) {
    return ribbons.touch(hash);
  }
}
