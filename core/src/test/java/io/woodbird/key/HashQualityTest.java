package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.LongUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every hash looks like chance: a changed bit changes half of the others, similar keys scatter. */
@Tag("compiled")
final class HashQualityTest {
  private static final double DEVIATIONS = 5;
  private static final Keys.Keyed KEYED = Keys.keyed(new byte[16]);

  /** A hash of so many bytes. */
  private record Function(String name, int bytes, Bytes hash) {
    @Override
    public String toString() {
      return name + " of " + bytes + " bytes";
    }
  }

  private interface Bytes {
    long hash(byte[] key, long seed);
  }

  static Stream<Function> functions() {
    Stream<Function> fixed =
        Stream.of(
            new Function("longs", 8, (key, seed) -> Keys.longs().hash(number(key, 0), seed)),
            new Function("keyed longs", 8, (key, seed) -> KEYED.longs().hash(number(key, 0), seed)),
            new Function("uuids", 16, (key, seed) -> Keys.uuids().hash(uuid(key), seed)),
            new Function("keyed uuids", 16, (key, seed) -> KEYED.uuids().hash(uuid(key), seed)));
    Stream<Function> bytes =
        Stream.of(1, 2, 3, 4, 7, 8, 12, 16, 17, 33, 113)
            .flatMap(
                length ->
                    Stream.of(
                        new Function("bytes", length, Keys.bytes()::hash),
                        new Function("keyed bytes", length, KEYED.bytes()::hash)));
    return Stream.concat(fixed, bytes);
  }

  private static long number(byte[] key, int at) {
    return ByteBuffer.wrap(key).getLong(at);
  }

  private static UUID uuid(byte[] key) {
    return new UUID(number(key, 0), number(key, 8));
  }

  @ParameterizedTest
  @MethodSource("functions")
  void aChangedBitOfTheKeyChangesHalfOfTheHash(Function function) {
    long seed = 0xa7a1 + function.bytes;
    SplittableRandom random = new SplittableRandom(seed);
    int trials = function.bytes > 32 ? 1000 : 4000;
    for (int bit = 0; bit < 8 * function.bytes; bit++) {
      int[] changes = new int[64];
      byte[] key = new byte[function.bytes];
      for (int i = 0; i < trials; i++) {
        random.nextBytes(key);
        long hashSeed = random.nextLong();
        long before = function.hash.hash(key, hashSeed);
        key[bit / 8] ^= (byte) (1 << bit % 8);
        count(before ^ function.hash.hash(key, hashSeed), changes);
      }
      assertHalf(changes, trials, "bit " + bit + " of the key, seed " + seed);
    }
  }

  @ParameterizedTest
  @MethodSource("functions")
  void aChangedBitOfTheSeedChangesHalfOfTheHash(Function function) {
    long seed = 0xa7a2 + function.bytes;
    SplittableRandom random = new SplittableRandom(seed);
    int trials = 2000;
    for (int bit = 0; bit < 64; bit++) {
      int[] changes = new int[64];
      byte[] key = new byte[function.bytes];
      for (int i = 0; i < trials; i++) {
        random.nextBytes(key);
        long hashSeed = random.nextLong();
        long before = function.hash.hash(key, hashSeed);
        count(before ^ function.hash.hash(key, hashSeed ^ 1L << bit), changes);
      }
      assertHalf(changes, trials, "bit " + bit + " of the seed, seed " + seed);
    }
  }

  /** Keys as people have them: they differ in little. */
  private record Row(String name, LongUnaryOperator hash) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Row> rows() {
    return Stream.of(
        new Row("longs in sequence", i -> Keys.longs().hash(i, 1)),
        new Row("longs that are multiples of 2^32", i -> Keys.longs().hash(i << 32, 1)),
        new Row("keyed longs in sequence", i -> KEYED.longs().hash(i, 1)),
        new Row("strings with a number", i -> Keys.strings().hash("user:" + i, 1)),
        new Row("keyed strings with a number", i -> KEYED.strings().hash("user:" + i, 1)),
        new Row(
            "urls with a number",
            i -> Keys.strings().hash("https://example.org/archive/2026/11/page-" + i + ".html", 1)),
        new Row(
            "strings of one letter",
            i -> Keys.strings().hash("a".repeat((int) i % 4096), i / 4096)),
        new Row("uuids in sequence", i -> Keys.uuids().hash(new UUID(0x1234, i), 1)),
        new Row(
            "bytes with one set",
            i -> {
              byte[] key = new byte[600];
              key[(int) (i % 600)] = (byte) (1 + i / 600);
              return Keys.bytes().hash(key, 1);
            }),
        new Row(
            "numbers as text",
            i -> Keys.bytes().hash(Long.toString(i).getBytes(StandardCharsets.US_ASCII), 1)));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void similarKeysScatter(Row row) {
    int keys = 1 << 17;
    int[] ones = new int[64];
    int[] high = new int[1 << 10];
    int[] low = new int[1 << 10];
    for (long i = 0; i < keys; i++) {
      long hash = row.hash.applyAsLong(i);
      count(hash, ones);
      high[(int) (hash >>> 54)]++;
      low[(int) (hash & 1023)]++;
    }
    assertHalf(ones, keys, "ones");
    assertEven(high, keys, "high bits");
    assertEven(low, keys, "low bits");
  }

  private static void count(long bits, int[] counts) {
    for (int i = 0; i < 64; i++) {
      counts[i] += (int) (bits >>> i & 1);
    }
  }

  /** Each count is binomial with p = 1/2. */
  private static void assertHalf(int[] counts, int trials, String what) {
    double bound = DEVIATIONS * Math.sqrt(trials) / 2;
    for (int i = 0; i < 64; i++) {
      if (Math.abs(counts[i] - trials / 2.0) > bound) {
        throw new AssertionError(
            String.format(
                "%s: bit %d of the hash changes in %d of %d, more than %.0f from a half",
                what, i, counts[i], trials, bound));
      }
    }
  }

  /** Chi-square of k cells has mean k - 1 and variance 2 (k - 1). */
  private static void assertEven(int[] cells, int total, String what) {
    double expected = (double) total / cells.length;
    double chiSquare = 0;
    for (int cell : cells) {
      chiSquare += (cell - expected) * (cell - expected) / expected;
    }
    double freedom = cells.length - 1;
    assertThat(chiSquare)
        .as("chi-square of the %s", what)
        .isBetween(
            freedom - DEVIATIONS * Math.sqrt(2 * freedom),
            freedom + DEVIATIONS * Math.sqrt(2 * freedom));
  }
}
