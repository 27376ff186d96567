package io.woodbird.filter.quotient;

import io.woodbird.FilterStats;
import io.woodbird.file.StoredFile;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.StoredFilter;
import io.woodbird.words.WordSource;

/** A quotient filter that answers from a file. */
final class StoredQuotientFilter<K> extends StoredFilter<K> {
  /*
   * A "not here" is computed twice: once at full speed, and once more with a proof for each word
   * after it was read. A wipe under the mapping leaves a byte of zeros in each word that it
   * touched. So a word with such a byte proves nothing until its page was checked again. One word
   * in ten has one by chance, which adds some 200 ns to a "not here".
   */
  private static final long BYTES = 0x0101010101010101L;

  private final StoredFile file;
  private final QuotientPlaces places;
  private final WordSource unproved = new Unproved();
  private final WordSource ifWhole = word -> sound(word, false);
  private final WordSource proven = word -> sound(word, true);

  StoredQuotientFilter(FilterSpec<K> spec, StoredFile file, QuotientPlaces places) {
    super(spec, file);
    this.file = file;
    this.places = places;
  }

  /** Returns a word that is intact and, if {@code there}, was really read. */
  private long sound(long word, boolean there) {
    long value = file.words().get(word);
    if (!file.pageGood(word)
        || (hasZeroByte(value) && !file.recheck(word))
        || (there && !file.pageThere(word))) {
      throw new Unproven();
    }
    return ~value;
  }

  /** The words without proof. */
  private final class Unproved implements WordSource {
    @Override
    public long get(long word) {
      return ~file.words().get(word);
    }

    @Override
    public void prove(long word) {
      if (!file.recheck(word)) {
        throw new Unproven();
      }
    }
  }

  private static boolean hasZeroByte(long value) {
    return ((value - BYTES) & ~value & BYTES << 7) != 0;
  }

  /** Thrown when a word proves nothing. It has no stack trace, as it only ends a question. */
  private static final class Unproven extends RuntimeException {
    private static final long serialVersionUID = 1;

    Unproven() {
      super(null, null, false, false);
    }
  }

  @Override
  protected boolean denies(long hash) {
    return lacks(hash) && !mayBeIn(proven, hash);
  }

  @Override
  protected int keptIfWhole(long hash) {
    return lacks(hash) && !mayBeIn(ifWhole, hash) ? 0 : 1;
  }

  private boolean mayBeIn(WordSource words, long hash) {
    try {
      return isIn(words, hash);
    } catch (Unproven | IndexOutOfBoundsException e) {
      return true;
    }
  }

  @Override
  protected boolean lacks(long hash) {
    try {
      return !isIn(unproved, hash);
    } catch (Unproven | IndexOutOfBoundsException e) {
      return true; // Damaged: the second pass decides.
    }
  }

  private boolean isIn(WordSource words, long hash) {
    return places.isIn(places.shard(places.shardOf(hash), words), hash);
  }

  @Override
  protected void touch(long[] hashes, int from, int to) {
    long touched = 0;
    for (int i = from; i < to; i++) {
      StoredQuotientShard shard = places.shard(places.shardOf(hashes[i]), unproved);
      touched |= shard.occupiedBits(places.quotientOf(hashes[i]) >>> 6);
    }
    use(touched);
  }

  @Override
  protected FilterStats look() {
    return places.stats(spec(), word -> ~file.get(word), file.doubts());
  }
}
