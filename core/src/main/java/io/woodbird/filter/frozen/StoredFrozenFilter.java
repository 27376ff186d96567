package io.woodbird.filter.frozen;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.GoodWords;
import io.woodbird.filter.StoredForm;
import io.woodbird.words.WordSource;
import java.util.Arrays;

/** A frozen filter that answers from a file. */
final class StoredFrozenFilter extends StoredForm {
  /*
   * From pages of our own, GoodWords proves each word before it is read.
   *
   * In other memory, a "not here" is computed twice: at full speed, and once more with a proof for
   * each word after it was read. The words decide which others are read, so it is not enough to
   * look at them again: one that is wiped meanwhile would lead to others.
   *
   * Zeros do not mean "maybe", as they do in a Bloom filter. So a word that is zero or next to a zero
   * word proves nothing until its page was checked again. A solution has a zero word by chance once
   * in 2^64, so this costs nothing. It detects a range that was wiped under the mapping, even if the
   * range begins inside a word. Each page is read again after its words, because a page may vanish
   * before the end of the file does.
   */
  private final StoredFile file;
  private final FrozenShape shape;
  private final ShardTable table;
  private final boolean owned;
  private final WordsKernel kernel;

  StoredFrozenFilter(StoredFile file, FrozenShape shape, ShardTable table) {
    super(file);
    this.file = file;
    this.shape = shape;
    this.table = table;
    this.owned = file.pages() != null;
    this.kernel = shape.kernel(owned ? new GoodWords(file) : file::word, table);
  }

  /** The words that one question reads. */
  private final class Proof implements WordSource {
    private long[] read = new long[4]; // one word of each page of the system
    private int pages;

    @Override
    public long get(long word) {
      long value = file.word(word);
      if (!file.pageGood(word) || (file.nearZero(word) && !file.recheck(word))) {
        throw new GoodWords.Unproven();
      }
      if (pages == 0 || file.systemPage(word) != file.systemPage(read[pages - 1])) {
        read = pages == read.length ? Arrays.copyOf(read, 2 * pages) : read;
        read[pages++] = word;
      }
      return value;
    }

    /** Whether all words were really read; to be asked when they were. */
    boolean there() {
      for (int i = 0; i < pages; i++) {
        if (!file.pageThere(read[i])) {
          return false;
        }
      }
      return true;
    }
  }

  /**
   * Whether the words of a hash say "not here", and are intact and, if {@code there}, were read.
   */
  private boolean lacksProven(long hash, boolean there) {
    Proof proof = new Proof();
    try {
      return shape.kernel(proof, table).lacks(hash) && (!there || proof.there());
    } catch (GoodWords.Unproven e) {
      return false;
    }
  }

  /**
   * The value that the words of a map have for a hash, or {@code absent}; throws {@link
   * GoodWords.Unproven} if they prove nothing.
   */
  long find(long hash, long absent) {
    if (owned) {
      return ((MapKernel) kernel).find(hash, absent);
    }
    Proof proof = new Proof();
    long value = ((MapKernel) shape.kernel(proof, table)).find(hash, absent);
    if (file.mayVanish() && !(proof.there() && file.unchanged())) {
      throw new GoodWords.Unproven();
    }
    return value;
  }

  @Override
  protected boolean denies(long hash) {
    return kernel.lacks(hash) && lacksProven(hash, true);
  }

  @Override
  protected int keptIfWhole(long hash) {
    try {
      return kernel.lacks(hash) && (owned || lacksProven(hash, false)) ? 0 : 1;
    } catch (GoodWords.Unproven e) {
      return 1;
    }
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
