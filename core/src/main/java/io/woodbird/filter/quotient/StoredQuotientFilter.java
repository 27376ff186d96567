package io.woodbird.filter.quotient;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.GoodWords;
import io.woodbird.filter.StoredForm;
import io.woodbird.words.WordSource;

/** A quotient filter that answers from a file. */
final class StoredQuotientFilter extends StoredForm {
  /*
   * From pages of our own, GoodWords proves each word before it is read.
   *
   * In other memory, a "not here" is computed twice: once at full speed, and once more with a proof
   * for each word after it was read. A wipe under the mapping leaves a byte of zeros in each word
   * that it touched. So a word with such a byte proves nothing until its page was checked again.
   * One word in ten has one by chance, which adds some 200 ns to a "not here".
   */
  private static final long BYTES = 0x0101010101010101L;

  private final StoredFile file;
  private final QuotientPlaces places;
  private final boolean owned;
  private final WordSource unproved;
  private final WordSource ifWhole = word -> sound(word, false);
  private final WordSource proven = word -> sound(word, true);

  StoredQuotientFilter(StoredFile file, QuotientPlaces places) {
    super(file);
    this.file = file;
    this.places = places;
    this.owned = file.pages() != null;
    GoodWords good = new GoodWords(file);
    this.unproved = owned ? word -> ~good.get(word) : new Unproved();
  }

  /** Returns a word that is intact and, if {@code there}, was really read. */
  private long sound(long word, boolean there) {
    long value = file.word(word);
    if (!file.pageGood(word)
        || (hasZeroByte(value) && !file.recheck(word))
        || (there && !file.pageThere(word))) {
      throw new GoodWords.Unproven();
    }
    return ~value;
  }

  /** The words without proof. */
  private final class Unproved implements WordSource {
    @Override
    public long get(long word) {
      return ~file.word(word);
    }

    @Override
    public void prove(long word) {
      if (!file.recheck(word)) {
        throw new GoodWords.Unproven();
      }
    }
  }

  private static boolean hasZeroByte(long value) {
    return ((value - BYTES) & ~value & BYTES << 7) != 0;
  }

  @Override
  protected boolean denies(long hash) {
    return lacks(hash) && !mayBeIn(proven, hash);
  }

  @Override
  protected int keptIfWhole(long hash) {
    if (owned) {
      return mayBeIn(unproved, hash) ? 1 : 0;
    }
    return lacks(hash) && !mayBeIn(ifWhole, hash) ? 0 : 1;
  }

  private boolean mayBeIn(WordSource words, long hash) {
    try {
      return isIn(words, hash);
    } catch (GoodWords.Unproven | IndexOutOfBoundsException e) {
      return true;
    }
  }

  @Override
  protected boolean lacks(long hash) {
    try {
      return !isIn(unproved, hash);
    } catch (GoodWords.Unproven | IndexOutOfBoundsException e) {
      return true; // Damaged: the second pass decides.
    }
  }

  private boolean isIn(WordSource words, long hash) {
    return places.isIn(places.shard(places.shardOf(hash), words), hash);
  }

  @Override
  protected long touch(long hash) {
    try {
      StoredQuotientShard shard = places.shard(places.shardOf(hash), unproved);
      return shard.occupiedBits(places.quotientOf(hash) >>> 6);
    } catch (GoodWords.Unproven e) {
      return 0;
    }
  }

  @Override
  protected FilterStats look(FilterSpec<?> spec) {
    return places.stats(spec, word -> ~file.get(word), file.doubts());
  }
}
