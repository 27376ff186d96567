package io.woodbird;

import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.filter.bloom.DurableFiles;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.ClassicBloom;
import io.woodbird.layout.ClassicBloomSize;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Builds Bloom filters for a number of keys. Made by {@link Woodbird#bloom}.
 *
 * @param <K> the type of the keys
 */
public final class BloomBuilder<K> {
  // RebuildingFilterBuilder has setters of the same form: a chain must end in its own type.
  private final KeyHasher<K> keys;
  private final long expectedKeys;
  private double fpp;
  private long maxBytes;
  private boolean classic;
  private @Nullable Long seed;
  private boolean everyPut;
  private boolean acceptLostKeys;
  private @Nullable Consumer<FilterStats> overfull;

  BloomBuilder(KeyHasher<K> keys, long expectedKeys) {
    this.keys = Objects.requireNonNull(keys, "keys");
    this.expectedKeys = Parameters.positive("expectedKeys", expectedKeys);
  }

  /**
   * Sets the false positive probability that the filter keeps up to the expected number of keys. 1
   * % if neither this nor {@link #maxBytes} is called.
   *
   * @param value above 0 and below 1
   * @return this
   */
  public BloomBuilder<K> fpp(double value) {
    fpp = Parameters.reachable(expectedKeys, Parameters.probability("fpp", value));
    return this;
  }

  /**
   * Sets the most bytes that the filter's file may take; the heap takes as much within 0.2 %.
   * Without {@link #fpp} the filter gets the lowest fpp that fits; with it, {@link #build} refuses
   * what does not fit.
   *
   * @param value positive
   * @return this
   */
  public BloomBuilder<K> maxBytes(long value) {
    maxBytes = Parameters.positive("maxBytes", value);
    return this;
  }

  /**
   * Spreads the bits of a key over the whole filter, as textbooks do: the smallest Bloom filter, 5
   * to 10 % below, and several times slower. Without this all bits of a key lie in one cache line,
   * or in two below an fpp of 0.1 %.
   *
   * @return this
   */
  public BloomBuilder<K> classic() {
    classic = true;
    return this;
  }

  /**
   * Fixes the seed of the hash function. Filters are {@linkplain BloomFilter#union united}, and
   * share {@linkplain Filter#hashOf hashes}, only under the same seed; and the same keys and seed
   * give the same file. Without this every filter gets its own random seed, so that no set of keys
   * is bad for all of them.
   *
   * @param value any number
   * @return this
   */
  public BloomBuilder<K> seed(long value) {
    seed = value;
    return this;
  }

  /**
   * Asks to be told when the filter holds more keys than its promise covers: once when the fpp
   * passes the promised one, and again at each doubling of it. The call comes from the thread whose
   * put passed the mark, after that put took effect.
   *
   * @param listener gets the state of the filter
   * @return this
   */
  public BloomBuilder<K> onOverfull(Consumer<FilterStats> listener) {
    overfull = Objects.requireNonNull(listener, "listener");
    return this;
  }

  /**
   * Sizes the filter without building it.
   *
   * @return the plan that {@link #build} would follow
   * @throws IllegalArgumentException if no filter can be so large, or so small
   */
  public FilterPlan plan() {
    BloomShape shape = shape();
    String family = classic ? "bloom-classic" : "bloom";
    long bits = shape.wordCount() * 64;
    return new FilterPlan(
        family, expectedKeys, shape.fpp(expectedKeys), bits, Planner.fileBytes(bits));
  }

  /**
   * Builds an empty filter on the heap. Its puts are lock-free and lose no key, whatever the number
   * of threads.
   *
   * @return the filter
   * @throws IllegalArgumentException if no filter can be so large, or so small
   */
  public BloomFilter<K> build() {
    BloomShape shape = shape();
    return BloomFilters.empty(spec(shape), shape, overfull);
  }

  /**
   * Makes {@link #file} keep every put: it is on disk before {@code put} returns. One put then
   * costs an fsync, which threads that put at the same time share, and all keys of a {@link
   * DurableFilter#putAll putAll}. Without this, {@link DurableFilter#checkpoint} says when.
   *
   * @return this
   */
  public BloomBuilder<K> journalEveryPut() {
    everyPut = true;
    return this;
  }

  /**
   * Makes {@link #file} open a filter that has lost keys: its journal, in which a checkpoint had
   * made them safe, is damaged or gone. What can still be read is kept; {@link
   * DurableFilter#recovery} says what is missing, and the filter answers "not here" for lost keys.
   * Without this, such a filter is refused.
   *
   * @return this
   */
  public BloomBuilder<K> acceptLostKeys() {
    acceptLostKeys = true;
    return this;
  }

  /**
   * Opens a filter whose keys survive the process, or makes it if there is no such file. Reads the
   * file and writes it once, so that it is known to need its journal.
   *
   * @param path the filter's file, or a symbolic link to it; a journal and a lock lie beside it
   * @return the filter; close it after use
   * @throws IncompatibleFilterException if the file holds a filter of other parameters; the message
   *     shows both
   * @throws CorruptFilterException if the file is damaged, or a journal that it needs is damaged or
   *     gone
   * @throws IOException if it can't be read or written, is open elsewhere, or has hard links
   */
  public DurableFilter<K> file(Path path) throws IOException {
    BloomShape shape = shape();
    DurableFiles.Choices choices = new DurableFiles.Choices(seed != null, everyPut, acceptLostKeys);
    return DurableFiles.open(path, spec(shape), shape, choices, overfull);
  }

  private FilterSpec<K> spec(BloomShape shape) {
    // With room in plenty the formula gives 0, but two keys may have one hash.
    double ofShape = Math.max(shape.fpp(expectedKeys), 0x1p-64);
    double promised = fpp > 0 || maxBytes == 0 ? wantedFpp() : ofShape;
    return new FilterSpec<>(keys, Parameters.seedOrRandom(seed), expectedKeys, promised);
  }

  private double wantedFpp() {
    return fpp > 0 ? fpp : Parameters.reachable(expectedKeys, 0.01);
  }

  private BloomShape shape() {
    boolean bySize = maxBytes > 0 && fpp == 0;
    BloomShape shape =
        bySize ? shapeForBits(64 * FileWriter.dataWords(maxBytes)) : shapeForFpp(wantedFpp());
    long bits = Math.multiplyExact(shape.wordCount(), 64L);
    if (bits > ClassicBloom.MAX_BITS) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %,d bits, and a filter on the heap has at most %,d",
              expectedKeys,
              wantedFpp(),
              bits,
              ClassicBloom.MAX_BITS));
    }
    if (maxBytes > 0 && Planner.fileBytes(bits) > maxBytes) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %,d bytes, more than maxBytes %,d; without fpp you get the"
                  + " lowest that fits",
              expectedKeys,
              wantedFpp(),
              Planner.fileBytes(bits),
              maxBytes));
    }
    return shape;
  }

  private BloomShape shapeForFpp(double wanted) {
    // The information limit, below which no filter gets. Refuses here, before the arithmetic of
    // sizes overflows.
    double least = expectedKeys * -Math.log(wanted) / Math.log(2);
    if (least > ClassicBloom.MAX_BITS) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need more than %.3g bits, and a filter on the heap has at most %,d",
              expectedKeys,
              wanted,
              least,
              ClassicBloom.MAX_BITS));
    }
    return classic
        ? new BloomShape.Classic(ClassicBloomSize.forFpp(expectedKeys, wanted))
        : new BloomShape.Blocked(BlockedBloomSize.forFpp(expectedKeys, wanted));
  }

  private BloomShape shapeForBits(long bits) {
    if (bits < BlockedBloom.BITS) {
      throw new IllegalArgumentException(
          "maxBytes must leave room for a block of 64 bytes and the header: " + maxBytes);
    }
    return classic
        ? new BloomShape.Classic(ClassicBloomSize.forBits(expectedKeys, bits))
        : new BloomShape.Blocked(BlockedBloomSize.forBits(expectedKeys, bits));
  }
}
