package io.woodbird.classic;

import io.woodbird.CorruptFilterException;
import io.woodbird.layout.ClassicBloom;
import io.woodbird.layout.ClassicBloomSize;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
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
 * share. {@link #read} and {@link #writeTo} use the bytes of the original. Those have no checksum
 * and do not say how keys became bytes: a flipped bit goes unnoticed, and a question in another key
 * encoding is answered "not here". Keep them only as long as the original must read them. {@link
 * #save} writes a {@code .wbird} file, which has the name of the scheme and checksums.
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
              "%s bits need %s words: %s", filter.bitCount, filter.words.count(), words.length));
    }
    for (int i = 0; i < words.length; i++) {
      filter.words.set(i, filter.named(words[i]));
    }
    long past = filter.pastTheEnd(filter.words.get(words.length - 1));
    if (past != 0) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT, "the last word has bits past bit %s: 0x%x", filter.bitCount - 1, past));
    }
    return filter;
  }

  /** Returns the bits of a word of the original that a position can name. */
  private long named(long original) {
    long named = original & ~neverNamed();
    if (derivation.original(named) != original) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "%s can have no such word: 0x%x", scheme, original));
    }
    return named;
  }

  /**
   * Reads the bytes of the original, and no byte past the filter's end. Memory is allocated as
   * bytes arrive, at most twice as much as have arrived, whatever length the stream announces.
   *
   * @param format {@code guava} or {@code spark}: what {@code writeTo} of their {@code BloomFilter}
   *     writes, in all versions
   * @param in the stream, not closed
   * @return the filter
   * @throws CorruptFilterException if the bytes are no filter of this format, or end too soon
   * @throws IOException if the stream fails
   * @throws IllegalArgumentException if there is no such format
   */
  public static ClassicFilter read(String format, InputStream in) throws IOException {
    return switch (Objects.requireNonNull(format, "format")) {
      case "guava" -> GuavaFormat.read(in);
      case "spark" -> SparkFormat.read(in);
      default -> throw new IllegalArgumentException("format must be guava or spark: " + format);
    };
  }

  /**
   * Reads the value of the Redis key in which a filter of Redisson keeps its bits. Redis stores no
   * zeros past the highest bit that was ever set, so the value may be short. A value that lost more
   * of its end than that is refused, if it has enough keys to tell.
   *
   * <p>A key of the filter is the bytes that Redisson's codec makes. With {@code StringCodec} they
   * are the UTF-8 form of a text. The default codec adds other bytes before and in between.
   *
   * @param value the value of the Redis key
   * @param bits the field {@code size} of the Redis hash {@code {name}:config}
   * @param hashes its field {@code hashIterations}
   * @return the filter
   * @throws CorruptFilterException if the value is empty (as Redis answers for an evicted key, and
   *     then nothing is known of any key), cut short, longer than {@code bits}, or has a bit set
   *     past them
   * @throws IllegalArgumentException if Redisson can't have a filter of this size
   */
  public static ClassicFilter ofRedisson(byte[] value, long bits, int hashes)
      throws CorruptFilterException {
    return RedissonFormat.read(value, bits, hashes);
  }

  /**
   * Returns the bits of a filter as Redisson keeps them, for {@code SET} or {@code BITOP OR}.
   *
   * @param filter a filter of the scheme {@code redisson}
   * @return the value of the Redis key in full length, zeros at the end included
   * @throws IllegalArgumentException if the filter has another scheme
   */
  public static byte[] toRedisson(ClassicFilter filter) {
    return RedissonFormat.write(filter);
  }

  /**
   * Writes the bytes of the original. Keys put while this runs may or may not be in them.
   *
   * @param format {@code guava} or {@code spark}
   * @param out the stream, neither flushed nor closed
   * @throws IllegalArgumentException if the format can't hold a filter of this scheme
   * @throws IOException if the stream fails
   */
  public void writeTo(String format, OutputStream out) throws IOException {
    switch (Objects.requireNonNull(format, "format")) {
      case "guava" -> GuavaFormat.write(this, out);
      case "spark" -> SparkFormat.write(this, out);
      default -> throw new IllegalArgumentException("format must be guava or spark: " + format);
    }
  }

  /**
   * Writes a {@code .wbird} file with the bits, the name of the scheme and checksums, completely or
   * not at all: see {@link io.woodbird.Filter#save}. Keys put while this runs may or may not be in
   * the file.
   *
   * @param path the file, replaced if it exists
   * @throws IOException if it could not be written; then the old file is as it was
   * @throws IllegalArgumentException if the scheme is not one of {@link Scheme#names}
   */
  public void save(Path path) throws IOException {
    SchemeFormat.save(this, path);
  }

  /**
   * Reads a filter from a {@code .wbird} file and checks all of it.
   *
   * @param in a stream of what {@link #save} wrote; read to the filter's end and no further
   * @return the filter
   * @throws CorruptFilterException if the bytes are damaged, truncated, or not such a filter
   * @throws io.woodbird.IncompatibleFilterException if they are a filter of another kind, or of a
   *     newer version
   * @throws IOException if the stream fails
   */
  public static ClassicFilter load(InputStream in) throws IOException {
    return SchemeFormat.read(in);
  }

  /**
   * Returns the bytes of a key that Guava put with {@code Funnels.longFunnel()}, Spark as an
   * integer of any width, or Parquet as an {@code int64}.
   *
   * @param key the key
   * @return 8 bytes, little-endian
   */
  public static byte[] longKey(long key) {
    return ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(key).array();
  }

  /**
   * Returns the bytes of a key that Guava put with {@code Funnels.integerFunnel()}, or Parquet as
   * an {@code int32}.
   *
   * @param key the key
   * @return 4 bytes, little-endian
   */
  public static byte[] intKey(int key) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(key).array();
  }

  /**
   * Returns the bytes of a key that Guava put with {@code Funnels.unencodedCharsFunnel()}. For a
   * key put with {@code stringFunnel(UTF_8)}, ask with the text itself.
   *
   * @param key the key
   * @return 2 bytes per char, little-endian
   */
  public static byte[] charsKey(CharSequence key) {
    Objects.requireNonNull(key, "key");
    ByteBuffer bytes = ByteBuffer.allocate(2 * key.length()).order(ByteOrder.LITTLE_ENDIAN);
    for (int i = 0; i < key.length(); i++) {
      bytes.putChar(key.charAt(i));
    }
    return bytes.array();
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
   * are its UTF-8 form. {@link #longKey}, {@link #intKey} and {@link #charsKey} make the bytes of
   * Guava's funnels.
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

  /** {@return the scheme, which finds the positions} */
  public Scheme scheme() {
    return scheme;
  }

  /** {@return how many bits the filter has; in Guava's schemes a multiple of 64} */
  public long bits() {
    return bitCount;
  }

  /** {@return how many positions a key has, of which some may be equal} */
  public int hashes() {
    return hashCount;
  }

  /**
   * {@return the share of the usable bits that are set, from 0 to 1} Counts all bits, so it takes
   * milliseconds on large filters.
   */
  public double fill() {
    long set = 0;
    for (long word = 0; word < words.count(); word++) {
      set += Long.bitCount(words.get(word));
    }
    return (double) set / derivation.usableBits(bitCount);
  }

  /**
   * {@return a copy of the bits} Bit i is bit {@code i % 64} of word {@code i / 64}, as in {@link
   * java.util.BitSet} and in Guava. Bits past the last are 0, except in {@code
   * hashcode-shift16-int}, where the upper half of each word holds copies of its bit 31.
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
