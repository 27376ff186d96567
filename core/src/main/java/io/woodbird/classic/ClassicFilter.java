package io.woodbird.classic;

import io.woodbird.layout.ClassicBloom;
import io.woodbird.layout.ClassicBloomSize;
import io.woodbird.words.HeapWords;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;

/**
 * A Bloom filter of one of the well-known {@linkplain Scheme schemes}, with exactly the bits that
 * the original would have.
 *
 * <p>It is as good as its scheme: good with Guava's, not meant for production with the first five.
 * It never says "not here" about a key whose {@code put} has returned. All methods may be called
 * from any number of threads at once, without locks, and see every put that happened before them.
 *
 * <p>It is not a {@link io.woodbird.Filter}: a classic scheme has no 64-bit hash that filters could
 * share, and its files are those of the original ({@link GuavaFormat}, {@link RedissonFormat}).
 */
public final class ClassicFilter {
  /*
   * Every call allocates a small array for the positions. Here every caller uses the one derivation
   * that the golden vectors check. For a filter that allocates nothing, use Woodbird.bloom.
   */
  static final long MAX_WORDS = (1L << 31) - 16; // What HeapWords holds: 16 GiB.

  private final Scheme scheme;
  private final Derivation derivation;
  private final long bitCount;
  private final int hashCount;
  private final HeapWords words;

  /** Makes an empty filter of a size that the scheme has checked. */
  ClassicFilter(Scheme scheme, long bitCount, int hashCount) {
    this(scheme, bitCount, hashCount, new HeapWords(checkedWords(bitCount)));
  }

  /** Makes a filter of words that are its own from now on. */
  ClassicFilter(Scheme scheme, long bitCount, int hashCount, HeapWords words) {
    this.scheme = scheme;
    this.derivation = scheme.derivation();
    this.bitCount = bitCount;
    this.hashCount = hashCount;
    this.words = words;
  }

  private static long checkedWords(long bitCount) {
    if (bitCount > MAX_WORDS * 64) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "bits must be at most %d to fit into one array: %d",
              MAX_WORDS * 64,
              bitCount));
    }
    return (bitCount + 63) >>> 6;
  }

  /**
   * Makes a filter from its bits.
   *
   * @param scheme how it finds positions
   * @param bits how many bits it has
   * @param hashes how many of them a key sets
   * @param words the bits as {@link #toLongArray} returns them
   * @return the filter, with its own copy of the words
   * @throws IllegalArgumentException if the words are too few or too many, if a bit is set that no
   *     key can set, or if the scheme can't have a filter of this size
   */
  public static ClassicFilter ofLongArray(Scheme scheme, long bits, int hashes, long[] words) {
    ClassicFilter filter = scheme.filterOf(bits, hashes);
    if (words.length != filter.words.count()) {
      throw new IllegalArgumentException(
          String.format(
              "%d bits need %d words: %d", filter.bitCount, filter.words.count(), words.length));
    }
    for (int i = 0; i < words.length; i++) {
      filter.words.set(i, filter.named(words[i]));
    }
    long past = filter.pastTheEnd(filter.words.get(words.length - 1));
    if (past != 0) {
      throw new IllegalArgumentException(
          String.format("the last word has bits past bit %d: 0x%x", filter.bitCount - 1, past));
    }
    return filter;
  }

  /** Returns the bits of a word of the original that a position can name. */
  private long named(long original) {
    long named = original & ~neverNamed();
    if (derivation.original(named) != original) {
      throw new IllegalArgumentException(
          String.format("%s can have no such word: 0x%x", scheme, original));
    }
    return named;
  }

  /**
   * Puts a key.
   *
   * @param key the key
   * @return true if the key was certainly new; of several threads that put the same new key at once
   *     at most one gets true
   */
  public boolean put(String key) {
    Objects.requireNonNull(key, "key");
    return set(derivation.positions(key, bitCount, hashCount));
  }

  /**
   * Puts a key of bytes. For schemes that hash text, the bytes are its UTF-8 form.
   *
   * @param key the key
   * @return as {@link #put(String)}
   */
  public boolean put(byte[] key) {
    Objects.requireNonNull(key, "key");
    return set(derivation.positions(key, bitCount, hashCount));
  }

  /**
   * Returns false if the key is certainly not here, true in every other case.
   *
   * @param key the key
   * @return whether the key may be here
   */
  public boolean mightContain(String key) {
    Objects.requireNonNull(key, "key");
    return allSet(derivation.positions(key, bitCount, hashCount));
  }

  /**
   * Returns false if a key of bytes is certainly not here. For schemes that hash text, the bytes
   * are its UTF-8 form. {@link GuavaFormat} makes the bytes of Guava's funnels for numbers.
   *
   * @param key the key
   * @return whether the key may be here
   */
  public boolean mightContain(byte[] key) {
    Objects.requireNonNull(key, "key");
    return allSet(derivation.positions(key, bitCount, hashCount));
  }

  private boolean allSet(long[] positions) {
    for (long position : positions) {
      if (isClear(position)) {
        return false;
      }
    }
    return true;
  }

  private boolean isClear(long position) {
    return (words.get(position >>> 6) >>> position & 1) == 0;
  }

  /** Sets all positions, after sorting them. */
  private boolean set(long[] positions) {
    // Each thread looks for the last clear bit before it sets the first. The key is new for the
    // thread that sets its own last clear bit. At most one thread does. Say A set its bit a, and B
    // set its bit b, which is later. A had seen b set, so B was past a when A looked, and A found a
    // set when it came to it. This needs an order in which a position that occurs twice has one
    // place, so positions are sorted.
    Arrays.sort(positions);
    long deciding = lastClear(positions);
    boolean fresh = false;
    for (long position : positions) {
      boolean completed = words.setBits(HeapWords.index(position >>> 6), 1L << position);
      fresh |= completed && position == deciding;
    }
    return fresh;
  }

  /** Returns the last position whose bit is clear, or -1. */
  private long lastClear(long[] positions) {
    long last = -1;
    for (long position : positions) {
      if (isClear(position)) {
        last = position;
      }
    }
    VarHandle.acquireFence();
    return last;
  }

  /**
   * Returns the scheme.
   *
   * @return how the positions are found
   */
  public Scheme scheme() {
    return scheme;
  }

  /**
   * Returns how many bits the filter has; in Guava's schemes a multiple of 64.
   *
   * @return the size in bits
   */
  public long bits() {
    return bitCount;
  }

  /**
   * Returns how many positions a key has. Some of them may be equal.
   *
   * @return the number of hashes
   */
  public int hashes() {
    return hashCount;
  }

  /**
   * Returns the share of the usable bits that are set. Counts all bits, so it takes milliseconds on
   * large filters.
   *
   * @return from 0 to 1
   */
  public double fill() {
    long set = 0;
    for (long word = 0; word < words.count(); word++) {
      set += Long.bitCount(words.get(word));
    }
    return (double) set / derivation.usableBits(bitCount);
  }

  /**
   * Returns a copy of the bits: bit i is bit {@code i % 64} of word {@code i / 64}, as in {@link
   * java.util.BitSet} and in Guava. Bits past the last are 0, except in {@code
   * hashcode-shift16-int}, where the upper half of each word holds copies of its bit 31.
   *
   * @return the words
   */
  public long[] toLongArray() {
    long[] copy = new long[(int) words.count()];
    for (int i = 0; i < copy.length; i++) {
      copy[i] = derivation.original(words.get(i));
    }
    return copy;
  }

  /** Returns the words themselves, not a copy. */
  HeapWords words() {
    return words;
  }

  /** Returns the bits of a word that no position names. */
  long neverNamed() {
    return ~(-1L >>> (64 - derivation.usableBits(64)));
  }

  /** Returns the bits of the last word that are past the last bit of the filter. */
  long pastTheEnd(long lastWord) {
    return bitCount % 64 == 0 ? 0 : lastWord & -1L << bitCount;
  }

  /**
   * Returns scheme, bits, keys and fpp. The keys are estimated from the share of bits set. The fpp
   * is that of independent positions, which the poor schemes do not have.
   */
  @Override
  public String toString() {
    double fill = fill();
    double keys =
        ClassicBloomSize.keysAt(new ClassicBloom(derivation.usableBits(bitCount), hashCount), fill);
    return String.format(
        Locale.ROOT,
        "classic Bloom, %s, %,d bits, %d hashes, about %,d keys, fpp %.3g by its fill",
        scheme,
        bitCount,
        hashCount,
        Math.round(keys),
        Math.pow(fill, hashCount));
  }
}
