package io.woodbird.filter.frozen;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.GoodWords;
import io.woodbird.filter.StoredForm;

/** A frozen filter that answers from a file. */
final class StoredFrozenFilter extends StoredForm {
  /*
   * From pages of our own, GoodWords proves each word before it is read.
   *
   * In other memory, zeros do not mean "maybe", as they do in a Bloom filter. So a word that is zero
   * or next to a zero word proves nothing until its page was checked again. A solution has a zero
   * word by chance once in 2^64, so this costs nothing. It detects a range that was wiped under the
   * mapping, even if the range begins inside a word. Each page is read again after its words,
   * because a page may vanish before the end of the file does.
   */
  private final StoredFile file;
  private final FrozenShape shape;
  private final boolean owned;
  private final WordsKernel kernel;

  StoredFrozenFilter(StoredFile file, FrozenShape shape, ShardTable table) {
    super(file);
    this.file = file;
    this.shape = shape;
    this.owned = file.pages() != null;
    this.kernel = shape.kernel(owned ? new GoodWords(file) : file::word, table);
  }

  WordsKernel kernel() {
    return kernel;
  }

  /** Whether words are read from pages of our own, which are proven before they are read. */
  boolean owned() {
    return owned;
  }

  /** Whether the words of a hash are proven to be those of the file. */
  boolean proven(long hash) {
    return file.mayVanish() ? sound(hash, true) && file.unchanged() : sound(hash, false);
  }

  @Override
  protected boolean denies(long hash) {
    return kernel.lacks(hash) && sound(hash, true);
  }

  @Override
  protected int keptIfWhole(long hash) {
    try {
      return kernel.lacks(hash) && (owned || sound(hash, false)) ? 0 : 1;
    } catch (GoodWords.Unproven e) {
      return 1;
    }
  }

  /** Whether the words of a hash are intact and, if {@code there}, were really read. */
  private boolean sound(long hash, boolean there) {
    boolean[] sound = {true};
    long[] lastPage = {-1};
    kernel.visit(
        hash,
        word -> {
          sound[0] = file.pageGood(word) && (!file.nearZero(word) || file.recheck(word));
          long page = file.systemPage(word);
          if (there && sound[0] && page != lastPage[0]) {
            lastPage[0] = page;
            sound[0] = file.pageThere(word);
          }
          return sound[0];
        });
    return sound[0];
  }

  @Override
  protected boolean lacks(long hash) {
    try {
      return kernel.lacks(hash);
    } catch (GoodWords.Unproven e) {
      return true;
    }
  }

  @Override
  protected long touch(long hash) {
    try {
      return kernel.touch(hash);
    } catch (GoodWords.Unproven e) {
      return 0;
    }
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return FrozenCodec.stats(file.header(), shape, file.doubts());
  }
}
