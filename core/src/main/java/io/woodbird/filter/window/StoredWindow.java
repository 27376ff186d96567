package io.woodbird.filter.window;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredForm;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;

/** A window that answers from a file: the keys that were in it when the file was written. */
final class StoredWindow extends StoredForm {
  private final StoredFile file;
  private final Generational layout;
  private final long span;
  private final int live;
  private final WindowWords bits;

  StoredWindow(StoredFile file, Generational layout, long span, int live) {
    super(file);
    this.file = file;
    this.layout = layout;
    this.span = span;
    this.live = live;
    this.bits = new WindowWords(layout, word -> ~file.word(word));
  }

  @Override
  protected boolean denies(long hash) {
    return keptIfWhole(hash) == 0
        && isThere(hash)
        && (!layout.isPair() || isThere(BlockedBloom.other(hash)));
  }

  /** Whether the block of a hash was really read. It may cross a page of the system. */
  private boolean isThere(long hash) {
    long base = layout.base(hash);
    return file.pageThere(base) && file.pageThere(base + Generational.BLOCK_WORDS - 1);
  }

  @Override
  protected int keptIfWhole(long hash) {
    boolean good =
        file.pageGood(layout.base(hash))
            && (!layout.isPair() || file.pageGood(layout.base(BlockedBloom.other(hash))));
    return good && !bits.isIn(hash, live) ? 0 : 1;
  }

  @Override
  protected boolean lacks(long hash) {
    boolean readable =
        file.readable(layout.base(hash))
            && (!layout.isPair() || file.readable(layout.base(BlockedBloom.other(hash))));
    return !readable || !bits.isIn(hash, live);
  }

  @Override
  protected long touch(long hash) {
    return file.pageGood(layout.base(hash)) ? bits.touch(hash) : 0;
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return WindowCodec.stats(layout, spec, span, word -> ~file.get(word), live, file.doubts());
  }
}
