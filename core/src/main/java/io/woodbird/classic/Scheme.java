package io.woodbird.classic;

import io.woodbird.words.HeapWords;
import java.util.List;
import java.util.Objects;

/**
 * One of the widely copied Bloom filters: its sizing and its positions, bit for bit as in the
 * original, integer overflow included.
 *
 * <p>Guava's and Redisson's are here to read, check and replace filters that exist. The other five
 * are taught and copied a lot. They are here to show why a filter needs a real hash function. The
 * percentages are the measured fpp where 1 % was promised ({@code SchemeFlawsTest} measures them):
 *
 * <table>
 *   <caption>The schemes</caption>
 *   <tr><th>name</th><th>hash</th><th>where it fails</th></tr>
 *   <tr><td>{@code hashcode-shift16}</td><td>{@code String.hashCode()}, and its upper half</td>
 *     <td>{@code "AaAa"} and {@code "BBBB"} have the same positions at any size.
 *     Three-letter codes give 22 %, four-digit numbers 13 %. Sizes end at 2^31 - 1 bits.</td></tr>
 *   <tr><td>{@code hashcode-shift16-int}</td><td>the same, with the bits set as in the article, by
 *     {@code 1 << (index % 64)}</td>
 *     <td>An int is shifted, so half of the array is never used: 13 %.</td></tr>
 *   <tr><td>{@code djb2-sdbm}</td><td>DJB2 and SDBM, seeded</td>
 *     <td>Keys of one length in a filter with an even number of bits give 2.5 %.</td></tr>
 *   <tr><td>{@code polynomial-seeds}</td><td>seven polynomials</td>
 *     <td>All positions of a key are even, or all are odd; keys in which every char occurs twice
 *     give 16 %. Its default size is always 2^25 bits.</td></tr>
 *   <tr><td>{@code crc32-shift16}</td><td>CRC-32, and its upper half</td>
 *     <td>All from 32 bits: a million keys give 4.1e-4 where 1e-6 is promised. No bit past about
 *     2^32 is ever used.</td></tr>
 *   <tr><td>{@code guava-mitz-32}</td><td>Murmur3, 2 x 32 bits</td>
 *     <td>No bit past 2^31 is ever used. Guava's default up to version 16.</td></tr>
 *   <tr><td>{@code guava-mitz-64}</td><td>Murmur3, 2 x 64 bits</td>
 *     <td>Keeps its promise. Anyone can make keys that collide.</td></tr>
 *   <tr><td>{@code redisson}</td><td>HighwayHash, 128 bits</td>
 *     <td>Positions depend on each other: 1.23 %, and 3.7e-4 where 1e-4 is promised. Sizes end at
 *     2^32 - 2 bits.</td></tr>
 * </table>
 */
public final class Scheme {
  private static final List<Scheme> ALL =
      List.of(
          new Scheme("hashcode-shift16", new HashCodeShift16()),
          new Scheme("hashcode-shift16-int", new HashCodeShift16.IntShift()),
          new Scheme("djb2-sdbm", new Djb2Sdbm()),
          new Scheme("polynomial-seeds", new PolynomialSeeds()),
          new Scheme("crc32-shift16", new Crc32Shift16()),
          new Scheme("guava-mitz-32", new GuavaMitz.Of32()),
          new Scheme("guava-mitz-64", new GuavaMitz.Of64()),
          new Scheme("redisson", new RedissonBloom()));

  private final String name;
  private final Derivation derivation;

  Scheme(String name, Derivation derivation) {
    this.name = name;
    this.derivation = derivation;
  }

  /**
   * Returns the scheme with a name.
   *
   * @param name one of {@link #names}
   * @return the scheme
   * @throws IllegalArgumentException if no scheme has this name; the message lists the names
   */
  public static Scheme of(String name) {
    Objects.requireNonNull(name, "name");
    for (Scheme scheme : ALL) {
      if (scheme.name.equals(name)) {
        return scheme;
      }
    }
    throw new IllegalArgumentException("scheme must be one of " + names() + ": " + name);
  }

  /** {@return the names of all schemes, always in the same order} */
  public static List<String> names() {
    return ALL.stream().map(Scheme::name).toList();
  }

  /**
   * {@return the scheme of Apache Spark's {@code BloomFilter}, version 1} Its positions have 31
   * bits, so it suits filters well below 256 MB only. It is not one of {@link #names}.
   */
  public static Scheme spark1() {
    return new Scheme("spark-1", new SparkMitz.Of32());
  }

  /**
   * Returns the scheme of Spark's {@code BloomFilter}, version 2 (Spark 4.1). It is not one of
   * {@link #names}.
   *
   * @param seed of the hash function; Spark's own default is 0
   * @return the scheme
   */
  public static Scheme spark2(int seed) {
    return new Scheme("spark-2", new SparkMitz.Of64(seed));
  }

  /** {@return the name, which {@link #of} accepts if it is one of {@link #names}} */
  public String name() {
    return name;
  }

  /**
   * Returns the positions that the original sets for a text, in its order, duplicates included. A
   * scheme that hashes bytes hashes the UTF-8 form, as Guava's {@code stringFunnel(UTF_8)} and
   * Redisson's {@code StringCodec} do.
   *
   * @param key the key
   * @param bits the size of the filter; {@code polynomial-seeds} takes powers of two only
   * @param hashes how many positions; {@code polynomial-seeds} has 7, Guava 255 at most
   * @return {@code hashes} positions from 0 to {@link #arrayBits arrayBits(bits)} - 1
   * @throws IllegalArgumentException if the original can have no filter of this size
   */
  public long[] positions(String key, long bits, int hashes) {
    Objects.requireNonNull(key, "key");
    checkShape(bits, hashes);
    return derivation.positions(key, bits, hashes);
  }

  /**
   * Returns the positions that the original sets for a key of bytes. A scheme that hashes text
   * decodes them as UTF-8. Bytes that are not UTF-8 become U+FFFD, so keys with such bytes may
   * share positions.
   *
   * @param key the key
   * @param bits as in {@link #positions(String, long, int)}
   * @param hashes as in {@link #positions(String, long, int)}
   * @return as in {@link #positions(String, long, int)}
   * @throws IllegalArgumentException if the original can have no filter of this size
   */
  public long[] positions(byte[] key, long bits, int hashes) {
    Objects.requireNonNull(key, "key");
    checkShape(bits, hashes);
    return derivation.positions(key, bits, hashes);
  }

  /**
   * Returns how many bits the original chooses. It may be a number that {@link #filterOf} refuses:
   * 0 for very few keys, or more than the original can hold.
   *
   * @param keys how many keys are planned
   * @param fpp the false positive probability; Redisson accepts 0 and 1 too
   * @return the bits, rounded or truncated as in the original
   */
  public long bitsFor(long keys, double fpp) {
    checkPlan(keys, fpp);
    return derivation.bitsFor(keys, fpp);
  }

  /**
   * Returns how many hashes the original chooses for a number of bits. It may be 0, which {@link
   * #filterOf} refuses, for {@code hashcode-shift16}, {@code hashcode-shift16-int} and {@code
   * crc32-shift16}.
   *
   * @param keys how many keys are planned
   * @param bits from {@link #bitsFor}
   * @return the hashes, rounded or truncated as in the original; for Guava, as up to version 33.3
   */
  public int hashesFor(long keys, long bits) {
    checkKeys(keys);
    if (bits < 0) {
      throw new IllegalArgumentException("bits must not be negative: " + bits);
    }
    return derivation.hashesFor(keys, bits);
  }

  /**
   * Returns how many hashes the original chooses for an fpp: as {@link #hashesFor(long, long)}
   * after {@link #bitsFor}, except in Guava, which from version 33.4 on uses the fpp alone.
   *
   * @param keys how many keys are planned
   * @param fpp the false positive probability
   * @return the hashes
   */
  public int hashesFor(long keys, double fpp) {
    checkPlan(keys, fpp);
    return derivation.hashesFor(keys, fpp);
  }

  /**
   * Returns the size of the array that the original allocates for {@code bits} bits. Guava rounds
   * up to whole longs and uses all their bits; the others do not round.
   *
   * @param bits from {@link #bitsFor}, or any other size
   * @return the size of the array
   */
  public long arrayBits(long bits) {
    checkBits(bits);
    return derivation.arrayBits(bits);
  }

  /**
   * Makes an empty filter of the size that the original would choose.
   *
   * @param keys how many keys are planned
   * @param fpp the false positive probability to plan for
   * @return the filter
   * @throws IllegalArgumentException if the original's sizing gives no bits, no hashes, or more
   *     than it can hold
   */
  public ClassicFilter filter(long keys, double fpp) {
    return filterOf(bitsFor(keys, fpp), hashesFor(keys, fpp));
  }

  /**
   * Makes an empty filter.
   *
   * @param bits how many bits
   * @param hashes how many of them a key sets
   * @return the filter
   * @throws IllegalArgumentException if the original can have no filter of this size
   */
  public ClassicFilter filterOf(long bits, int hashes) {
    checkShape(bits, hashes);
    return new ClassicFilter(this, derivation.arrayBits(bits), hashes);
  }

  /** Makes a filter of words that are its own from now on. */
  ClassicFilter filterOf(long bits, int hashes, HeapWords words) {
    checkShape(bits, hashes);
    return new ClassicFilter(this, derivation.arrayBits(bits), hashes, words);
  }

  /** Returns the name. */
  @Override
  public String toString() {
    return name;
  }

  Derivation derivation() {
    return derivation;
  }

  /** Throws if the original can't have a filter of this size. */
  void checkShape(long bits, int hashes) {
    checkBits(bits);
    if (hashes < 1 || hashes > derivation.maxHashes()) {
      throw new IllegalArgumentException(
          String.format(
              "hashes must be from 1 to %s in %s: %s", derivation.maxHashes(), name, hashes));
    }
  }

  private void checkBits(long bits) {
    if (bits < 1 || bits > derivation.maxBits()) {
      throw new IllegalArgumentException(
          String.format("bits must be from 1 to %s in %s: %s", derivation.maxBits(), name, bits));
    }
    if (!derivation.takesBits(bits)) {
      throw new IllegalArgumentException("bits must be a power of two in " + name + ": " + bits);
    }
  }

  private void checkPlan(long keys, double fpp) {
    checkKeys(keys);
    boolean closed = derivation.takesZeroAndOne();
    if (!(closed ? fpp >= 0 && fpp <= 1 : fpp > 0 && fpp < 1)) { // Also refuses NaN.
      String range = closed ? "from 0 to 1" : "above 0 and below 1";
      throw new IllegalArgumentException("fpp must be " + range + " in " + name + ": " + fpp);
    }
  }

  private static void checkKeys(long keys) {
    if (keys <= 0) {
      throw new IllegalArgumentException("keys must be positive: " + keys);
    }
  }
}
