package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The numbers that the documentation of the schemes states. */
@Tag("compiled")
class SchemeFlawsTest {
  private static final long SEED = 0x5eed_2026;

  private static final Scheme HASH_CODE = Scheme.of("hashcode-shift16");
  private static final Scheme INT_SHIFT = Scheme.of("hashcode-shift16-int");
  private static final Scheme DJB2_SDBM = Scheme.of("djb2-sdbm");
  private static final Scheme POLYNOMIAL = Scheme.of("polynomial-seeds");
  private static final Scheme CRC32_SHIFT = Scheme.of("crc32-shift16");
  private static final Scheme REDISSON = Scheme.of("redisson");

  @Test
  void hashCode_takesAaAaForBBBBAtEverySize() {
    for (int bits = 1; bits < 10_000; bits++) {
      assertThat(HASH_CODE.positions("AaAa", bits, 6))
          .isEqualTo(HASH_CODE.positions("BBBB", bits, 6));
    }
    ClassicFilter filter = HASH_CODE.filter(1000, 0.01);
    filter.put("Aa".repeat(16));
    for (int choice = 0; choice < 1 << 16; choice++) {
      StringBuilder key = new StringBuilder();
      for (int block = 0; block < 16; block++) {
        key.append((choice >> block & 1) == 0 ? "Aa" : "BB");
      }
      if (!filter.mightContain(key.toString())) {
        throw new AssertionError(key);
      }
    }
  }

  @Test
  void hashCode_givesTwentyTwoPercentForThreeLetterCodes() {
    IntFunction<String> code =
        i ->
            new String(
                new char[] {
                  (char) ('A' + i / 676), (char) ('A' + i / 26 % 26), (char) ('A' + i % 26)
                });
    assertThat(IntStream.range(0, 17_576).map(i -> code.apply(i).hashCode() >>> 16).distinct())
        .containsExactlyInAnyOrder(0, 1);
    assertFpp(some(HASH_CODE.filter(1000, 0.01), 1000, 17_576, code), 0.22, 0.02);
  }

  @Test
  void hashCode_givesThirteenPercentForFourDigitNumbers() {
    IntFunction<String> number = i -> String.format("%04d", i);
    assertFpp(some(HASH_CODE.filter(5000, 0.01), 5000, 10_000, number), 0.13, 0.01);
  }

  @Tag("slow")
  @Test
  void hashCode_givesHundredsOfTimesThePromiseOfOneInAMillion() {
    assertFpp(random(HASH_CODE.filter(1_000_000, 1e-6), 1_000_000, 1_000_000), 4.1e-4, 0);
  }

  @Tag("slow")
  @Test
  void hashCode_almostKeepsAPromiseOfOnePercentForRandomKeys() {
    assertFpp(random(HASH_CODE.filter(1_000_000, 0.01), 1_000_000, 500_000), 0.0106, 0);
  }

  @Test
  void hashCode_stopsGrowingAt224MillionKeys() {
    assertThat(HASH_CODE.bitsFor(224_000_000, 0.01)).isEqualTo(2_147_053_076);
    assertThat(HASH_CODE.bitsFor(225_000_000, 0.01)).isEqualTo(Integer.MAX_VALUE);
    assertThat(HASH_CODE.bitsFor(1L << 40, 0.01)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void intShift_givesThirteenTimesThePromiseOfOnePercent() {
    assertFpp(random(INT_SHIFT.filter(100_000, 0.01), 100_000, 500_000), 0.133, 0.002);
    assertFpp(random(INT_SHIFT.filter(100_000, 0.001), 100_000, 500_000), 0.046, 0.002);
    // So much is left of the array: the formula agrees for half of the bits.
    assertThat(formula(958_505 / 2.0, 6, 100_000)).isCloseTo(0.133, within(0.002));
    assertFpp(random(HASH_CODE.filter(100_000, 0.01), 100_000, 500_000), 0.0102, 0.0005);
  }

  @Test
  void hashCodeAndCrc32_cutOffTheNumberOfHashes() {
    for (Scheme scheme : List.of(HASH_CODE, CRC32_SHIFT)) {
      assertThat(scheme.hashesFor(1000, 0.01)).isEqualTo(6);
      assertThat(scheme.hashesFor(1000, 0.5)).isZero();
    }
  }

  @Test
  void djb2Sdbm_putsKeysOfOneLengthIntoHalfOfAnEvenNumberOfBits() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) {
      String key = hex(random).substring(random.nextInt(16));
      long[] positions = DJB2_SDBM.positions(key, 958_506, 7);
      for (int hash = 1; hash < 7; hash += 2) {
        assertThat(positions[hash] % 2).as("%s, seed %#x", key, SEED).isEqualTo(key.length() % 2);
      }
    }
  }

  @Test
  void djb2Sdbm_givesMoreThanTwiceThePromiseIfTheNumberOfBitsIsEven() {
    assertThat(DJB2_SDBM.bitsFor(100_000, 0.01)).isEqualTo(958_506);
    assertFpp(random(DJB2_SDBM.filterOf(958_506, 7), 100_000, 500_000), 0.025, 0.0005);
    assertFpp(random(DJB2_SDBM.filterOf(958_507, 7), 100_000, 500_000), 0.010, 0.0003);
  }

  @Tag("slow")
  @Test
  void djb2Sdbm_givesSixTimesThePromiseOfOneInAThousand() {
    assertThat(DJB2_SDBM.bitsFor(1_000_000, 0.001)).isEqualTo(14_377_588);
    assertFpp(random(DJB2_SDBM.filter(1_000_000, 0.001), 1_000_000, 500_000), 0.0066, 0.0001);
  }

  @Test
  void polynomialSeeds_givePositionsThatAgreeInTheirLowBits() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) {
      String key = hex(random);
      long[] of = POLYNOMIAL.positions(key, 1 << 25, 7); // Of 5, 7, 11, 13, 31, 37, 61.
      assertThat(Arrays.stream(of).map(position -> position % 2).distinct())
          .as("%s, seed %#x", key, SEED)
          .hasSize(1);
      assertThat(List.of(of[0] % 8, of[3] % 8, of[5] % 8, of[6] % 8)).containsOnly(of[0] % 8);
      assertThat(of[5] % 32).isEqualTo(of[0] % 32);
    }
  }

  @Test
  void polynomialSeeds_giveSixteenPercentForKeysWithEveryCharTwice() {
    SplittableRandom random = new SplittableRandom(SEED);
    Supplier<String> twice =
        () -> {
          String half = hex(random);
          return half + half;
        };
    int keys = 109_397; // 9.585 bits per key.
    assertFpp(random(POLYNOMIAL.filterOf(1 << 20, 7), keys, 200_000, twice), 0.156, 0.003);
    assertFpp(random(POLYNOMIAL.filterOf(1 << 20, 7), keys, 200_000), 0.0100, 0.0003);
  }

  @Test
  void polynomialSeeds_keepShortKeysAtTheFront() {
    long furthest = 0;
    for (char a = 'A'; a <= 'Z'; a++) {
      for (char b = 'A'; b <= 'Z'; b++) {
        long[] positions = POLYNOMIAL.positions("" + a + b, 1 << 25, 7);
        furthest = Math.max(furthest, Arrays.stream(positions).max().getAsLong());
      }
    }
    assertThat(furthest).isEqualTo(5580);
  }

  @Test
  void polynomialSeeds_areTooSmallForElevenMillionKeys() {
    assertThat(formula(1 << 25, 7, 3_500_000)).isCloseTo(0.01, within(0.0001));
    assertThat(formula(1 << 25, 7, 11_300_000)).isCloseTo(0.5, within(0.005));
  }

  @Test
  void polynomialSeeds_haveNoSizeAbove2To30() {
    int one = 1;
    assertThat(one << 31).isNegative();
    assertThat(one << 32).isEqualTo(1);
    assertThat(POLYNOMIAL.filterOf(1, 7).put("anything")).isTrue();
  }

  @Tag("slow")
  @Test
  void crc32_givesHundredsOfTimesThePromiseOfOneInAMillion() {
    assertFpp(random(CRC32_SHIFT.filter(1_000_000, 1e-6), 1_000_000, 1_000_000), 4.1e-4, 0);
  }

  @Tag("slow")
  @Test
  void crc32_almostKeepsAPromiseOfOnePercent() {
    assertFpp(random(CRC32_SHIFT.filter(1_000_000, 0.01), 1_000_000, 500_000), 0.0105, 0);
  }

  @Test
  void crc32_neverSetsMoreThanHalfOfTheBitsForABillionKeys() {
    long bits = CRC32_SHIFT.bitsFor(1_000_000_000, 0.01);
    int hashes = CRC32_SHIFT.hashesFor(1_000_000_000, bits);
    long end = (1L << 32) + hashes * 65_536L;
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) { // Each is below it by chance in one case of two at most.
      assertThat(Arrays.stream(CRC32_SHIFT.positions(hex(random), bits, hashes)).max().getAsLong())
          .isLessThan(end);
    }
    assertThat(1 - (double) end / bits).isCloseTo(0.55, within(0.005));
  }

  @Test
  void crc32_putsEveryOtherKeyIntoTheEvenOrTheOddHalfOfAnEvenNumberOfBits() {
    SplittableRandom random = new SplittableRandom(SEED);
    int oneHalf = 0;
    for (int i = 0; i < 10_000; i++) {
      String key = hex(random);
      long[] positions = CRC32_SHIFT.positions(key, 958_506, 6);
      boolean same = Arrays.stream(positions).map(p -> p % 2).distinct().count() == 1;
      assertThat(same).as("%s, seed %#x", key, SEED).isEqualTo((crc(key) >> 16) % 2 == 0);
      oneHalf += same ? 1 : 0;
    }
    assertThat(oneHalf).as("seed %#x", SEED).isCloseTo(5000, within(250)); // 5 deviations.
  }

  @Test
  void crc32_isLinear() {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[] a = hex(random).getBytes(UTF_8);
    byte[] b = hex(random).getBytes(UTF_8);
    byte[] c = hex(random).getBytes(UTF_8);
    byte[] d = new byte[16];
    for (int i = 0; i < 16; i++) {
      d[i] = (byte) (a[i] ^ b[i] ^ c[i]);
    }
    assertThat(crc(d)).as("seed %#x", SEED).isEqualTo(crc(a) ^ crc(b) ^ crc(c));
  }

  @Test
  void redisson_givesMoreThanItPromises() {
    assertFpp(random(REDISSON.filter(1_000_000, 0.01), 1_000_000, 500_000), 0.0123, 0.0002);
    assertFpp(random(REDISSON.filterOf(1 << 20, 7), 109_397, 500_000), 0.0143, 0.0003);
  }

  @Tag("slow")
  @Test
  void redisson_givesMoreThanThreeTimesThePromiseOfOneInTenThousand() {
    assertFpp(random(REDISSON.filter(1_000_000, 1e-4), 1_000_000, 1_000_000), 3.7e-4, 0);
  }

  @Test
  void guava64_keepsItsPromise() {
    assertFpp(
        random(Scheme.of("guava-mitz-64").filter(100_000, 0.01), 100_000, 500_000), 0.01, 3e-4);
  }

  @Test
  void guava32_neverSetsABitPast2To31() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 1000; i++) { // An eighth of the range: seven are in it by chance never.
      long[] positions = Scheme.of("guava-mitz-32").positions(hex(random), 1L << 34, 7);
      assertThat(Arrays.stream(positions).max().getAsLong()).isLessThan(1L << 31);
    }
  }

  /** What was measured. */
  private record Measured(int hits, int probes) {}

  /** Puts some of the first {@code all} keys, chosen at random, and asks about all the others. */
  private static Measured some(ClassicFilter filter, int put, int all, IntFunction<String> key) {
    int[] order = IntStream.range(0, all).toArray();
    Random random = new Random(SEED);
    for (int i = all - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      int swapped = order[i];
      order[i] = order[other];
      order[other] = swapped;
    }
    int[] next = {0};
    return random(filter, put, all - put, () -> key.apply(order[next[0]++]));
  }

  /** Puts and asks about keys of 16 random hexadecimal digits. */
  private static Measured random(ClassicFilter filter, int put, int probes) {
    SplittableRandom random = new SplittableRandom(SEED);
    return random(filter, put, probes, () -> hex(random));
  }

  private static Measured random(ClassicFilter filter, int put, int probes, Supplier<String> keys) {
    for (int i = 0; i < put; i++) {
      filter.put(keys.get());
    }
    int hits = 0;
    for (int i = 0; i < probes; i++) {
      hits += filter.mightContain(keys.get()) ? 1 : 0;
    }
    return new Measured(hits, probes);
  }

  /**
   * Asserts the stated fpp.
   *
   * @param spread how much one filter may differ from the next, because its fill does
   */
  private static void assertFpp(Measured measured, double stated, double spread) {
    double expected = measured.probes * stated;
    double deviation = Math.sqrt(expected * (1 - stated));
    assertThat((double) measured.hits)
        .as(
            "%s: %.4g, stated %.4g, seed %#x",
            measured, (double) measured.hits / measured.probes, stated, SEED)
        .isCloseTo(expected, within(5 * deviation + spread * measured.probes));
  }

  private static double formula(double bits, int hashes, double keys) {
    return Math.pow(-Math.expm1(-hashes * keys / bits), hashes);
  }

  private static String hex(SplittableRandom random) {
    char[] digits = new char[16];
    long bits = random.nextLong();
    for (int i = 0; i < 16; i++) {
      digits[i] = Character.forDigit((int) (bits >>> 4 * i) & 15, 16);
    }
    return new String(digits);
  }

  private static long crc(String key) {
    return crc(key.getBytes(UTF_8));
  }

  private static long crc(byte[] key) {
    CRC32 crc = new CRC32();
    crc.update(key);
    return crc.getValue();
  }
}
