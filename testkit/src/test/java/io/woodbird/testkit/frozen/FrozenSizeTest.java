package io.woodbird.testkit.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Filter;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How many bits a frozen filter takes. */
final class FrozenSizeTest {
  private static final int MANY = 1_000_000;

  private static Filter<Long> build(Kind kind, int keys, double fpp) {
    return kind.of(Keys.longs()).fpp(fpp).seed(41).buildFrom(LongStream.range(0, keys).boxed());
  }

  private static double log2(double value) {
    return Math.log(value) / Math.log(2);
  }

  /** The share of bits above n log2(1 / fpp). */
  private static double overhead(Filter<?> filter, long keys, double fpp) {
    return filter.stats().bits() / (keys * log2(1 / fpp)) - 1;
  }

  /**
   * Between powers of two it is a ternary column that keeps it near: at the worst, 8/5 of one. By
   * default a power of two, the worst, one between and a small one.
   */
  @ParameterizedTest
  @CsvSource({"0.01, 0.010", "0.0078125, 0.005", "0.00625, 0.010", "1e-4, 0.010"})
  void ribbon_takesLittleMoreThanTheInformationLimit(double fpp, double most) {
    isNearTheLimit(fpp, most);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({
    "0.0085,     0.010",
    "0.0070,     0.010",
    "0.005,      0.010",
    "0.00390625, 0.005",
    "0.0015,     0.010",
    "1e-3,       0.005",
  })
  void ribbon_takesLittleMoreThanTheInformationLimit_betweenThose(double fpp, double most) {
    isNearTheLimit(fpp, most);
  }

  private static void isNearTheLimit(double fpp, double most) {
    Filter<Long> filter = build(Kind.RIBBON, MANY, fpp);
    double overhead = overhead(filter, MANY, fpp);
    System.out.printf(
        "ribbon, n = %,d, fpp %s: %.4f bits a key, %.2f %% over%n",
        MANY, fpp, (double) filter.stats().bits() / MANY, 100 * overhead);
    assertThat(overhead).as("%s", filter).isPositive().isLessThanOrEqualTo(most);
    FppMeter.measure("fpp " + fpp, filter, Long::valueOf, MANY, 1_000_000).assertAtMost(fpp);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1.5, 2.0})
  void ribbon_ofFewBitsAKey_isNearTheLimit(double bitsPerKey) {
    hasTheFppOfItsBits(bitsPerKey);
  }

  @Tag("slow")
  @ParameterizedTest
  @ValueSource(doubles = {1.0, 3.0})
  void ribbon_ofFewBitsAKey_isNearTheLimit_aroundThose(double bitsPerKey) {
    hasTheFppOfItsBits(bitsPerKey);
  }

  private static void hasTheFppOfItsBits(double bitsPerKey) {
    Filter<Long> filter =
        Kind.RIBBON
            .of(Keys.longs())
            .bitsPerKey(bitsPerKey)
            .seed(42)
            .buildFrom(LongStream.range(0, MANY).boxed());
    // The shard table comes on top.
    assertThat(filter.stats().bits() - 512).isLessThanOrEqualTo((long) (bitsPerKey * MANY) + 64);
    FppMeter.Measurement measured =
        FppMeter.measure(bitsPerKey + " bits", filter, Long::valueOf, MANY, 2_000_000);
    measured.assertAbout(filter.stats().promisedFpp(), 0);
    double overhead = overhead(filter, MANY, measured.fpp());
    System.out.printf(
        "ribbon, n = %,d, %s bits a key: fpp %.3f %%, %.2f %% over%n",
        MANY, bitsPerKey, 100 * measured.fpp(), 100 * overhead);
    if (bitsPerKey == 2.0) {
      assertThat(overhead).isBetween(0.0, 0.015);
    }
  }

  /** The shard table takes 512 bits, and slots come in segments of 64. */
  @ParameterizedTest
  @CsvSource({
    // keys, ribbon bits, fuse bits
    "0,          512,        512",
    "1,        1_024,        640",
    "2,        1_024,        640",
    "10,       1_024,        896",
    "100,      1_536,      2_048",
    "1_000,    9_280,     12_800",
    "10_000,  81_088,    102_912",
  })
  void fewKeys_takeThisMuch(String keys, String ribbonBits, String fuseBits) {
    int count = number(keys);
    for (Kind kind : Kind.values()) {
      Filter<Long> filter = build(kind, count, 1.0 / 256);
      int most = number(kind == Kind.RIBBON ? ribbonBits : fuseBits);
      System.out.printf("%s, n = %,d: %,d bits%n", kind, count, filter.stats().bits());
      assertThat(filter.stats().bits()).as("%s of %,d keys", kind, count).isLessThanOrEqualTo(most);
      long kept =
          LongStream.range(0, count)
              .filter(key -> filter.mightContainHash(filter.hashOfLong(key)))
              .count();
      assertThat(kept).isEqualTo(count);
      FppMeter.measure(kind + " of " + count, filter, Long::valueOf, count, 200_000)
          .assertAtMost(count == 0 ? 0 : 1.0 / 256);
    }
  }

  private static int number(String text) {
    return Integer.parseInt(text.replace("_", ""));
  }

  @Test
  void fuse_takesAtMostNineAndATenthBitsAKey() {
    takesAtMostNineAndATenthBitsAKey(MANY);
  }

  @Tag("slow")
  @Test
  void fuse_ofSeveralShards_takesAtMostNineAndATenthBitsAKey() {
    takesAtMostNineAndATenthBitsAKey(5 * MANY);
  }

  private static void takesAtMostNineAndATenthBitsAKey(int keys) {
    Filter<Long> filter = build(Kind.FUSE, keys, 1.0 / 256);
    double bitsPerKey = (double) filter.stats().bits() / keys;
    System.out.printf("fuse, n = %,d: %.3f bits a key%n", keys, bitsPerKey);
    assertThat(bitsPerKey).isLessThanOrEqualTo(9.1);
    FppMeter.measure("fuse of " + keys, filter, Long::valueOf, keys, 1_000_000)
        .assertAbout(1.0 / 256, 0);
  }
}
