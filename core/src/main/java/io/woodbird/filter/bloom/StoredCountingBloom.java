package io.woodbird.filter.bloom;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.BlockedBloom;

/** A counting Bloom filter that answers from a file. */
final class StoredCountingBloom extends StoredForm {
  private final StoredFile file;
  private final BlockedBloom layout;
  private final Counters counters;

  StoredCountingBloom(StoredFile file, BlockedBloom layout) {
    super(file);
    this.file = file;
    this.layout = layout;
    this.counters = new Counters(layout, word -> ~goodWord(word));
  }

  /** Returns a word, or zero if its page is not good: its counters then are stuck. */
  private long goodWord(long word) {
    return file.pageGood(word) ? file.word(word) : 0;
  }

  @Override
  protected boolean denies(long hash) {
    long word = counters.zeroWord(hash);
    return word >= 0 && file.pageGood(word) && file.pageThere(word);
  }

  @Override
  protected int keptIfWhole(long hash) {
    long word = counters.zeroWord(hash);
    return word >= 0 && file.pageGood(word) ? 0 : 1;
  }

  @Override
  protected boolean lacks(long hash) {
    return counters.zeroWord(hash) >= 0 || !isReadable(hash);
  }

  private boolean isReadable(long hash) {
    return counters.visit(hash, (word, shift) -> file.readable(word));
  }

  @Override
  protected long touch(long hash) {
    long block = BlockedBloom.block(hash, layout.blockCount());
    return goodWord(4 * BlockedBloom.WORDS * block);
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return CountingCodec.stats(layout, spec, word -> ~file.get(word), file.doubts());
  }
}
