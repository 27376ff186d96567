package io.woodbird.classic;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SchemeTest {
  static List<String> names() {
    return Scheme.names();
  }

  @Test
  void names_areTheEight() {
    assertThat(Scheme.names())
        .containsExactly(
            "hashcode-shift16",
            "hashcode-shift16-int",
            "djb2-sdbm",
            "polynomial-seeds",
            "crc32-shift16",
            "guava-mitz-32",
            "guava-mitz-64",
            "redisson");
  }

  @ParameterizedTest
  @MethodSource("names")
  void of_findsEveryName(String name) {
    assertThat(Scheme.of(name).name()).isEqualTo(name);
    assertThat(Scheme.of(name)).hasToString(name).isSameAs(Scheme.of(name));
  }

  @Test
  void of_listsTheNamesWhenItKnowsNone() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.of("murmur"))
        .withMessageContainingAll("murmur", "djb2-sdbm", "guava-mitz-32", "redisson");
    assertThatNullPointerException().isThrownBy(() -> Scheme.of(null));
  }

  @ParameterizedTest
  @MethodSource("names")
  void positions_areAsManyAsHashesAndInTheArray(String name) {
    Scheme scheme = Scheme.of(name);
    for (long bits : new long[] {1, 2, 64, 1 << 20, 1 << 30}) {
      for (int hashes : new int[] {1, 2, 7}) {
        for (String key : List.of("", "a", "\0", "\ud834\udd1e", "\udd1e\ud834", "x".repeat(999))) {
          assertThat(Arrays.stream(scheme.positions(key, bits, hashes)))
              .as("%s, %d bits, key %s", name, bits, key)
              .hasSize(hashes)
              .allMatch(position -> position >= 0 && position < scheme.arrayBits(bits));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void positions_ofATextAreThoseOfItsUtf8(String name) {
    for (String key : List.of("", "a", "\u5e03\u9686", "\ud834\udd1e clef")) {
      assertThat(Scheme.of(name).positions(key.getBytes(UTF_8), 1 << 20, 7))
          .as("%s, key %s", name, key)
          .isEqualTo(Scheme.of(name).positions(key, 1 << 20, 7));
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void positions_refuseNullAndImpossibleSizes(String name) {
    Scheme scheme = Scheme.of(name);
    assertThatNullPointerException().isThrownBy(() -> scheme.positions((String) null, 64, 1));
    assertThatNullPointerException().isThrownBy(() -> scheme.positions((byte[]) null, 64, 1));
    for (long bits : new long[] {0, -64, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scheme.positions("a", bits, 1))
          .withMessageContainingAll("bits", name, ": " + bits);
    }
    for (int hashes : new int[] {0, -1, Integer.MAX_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scheme.positions("a", 64, hashes))
          .withMessageContainingAll("hashes", name, ": " + hashes);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "hashcode-shift16, 2147483647, 2147483648",
    "hashcode-shift16-int, 2147483647, 2147483648",
    "djb2-sdbm, 9007199254740991, 9007199254740992",
    "polynomial-seeds, 1073741824, 2147483648",
    "guava-mitz-32, 137438953408, 137438953409",
    "guava-mitz-64, 137438953408, 137438953409",
    "redisson, 4294967294, 4294967295"
  })
  void positions_endWhereTheOriginalsTypesEnd(String name, long last, long tooMany) {
    assertThat(Scheme.of(name).positions("a", last, 3)).hasSize(3);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.of(name).positions("a", tooMany, 3))
        .withMessageContainingAll(Long.toString(last), ": " + tooMany);
  }

  @Test
  void polynomialSeeds_wantAPowerOfTwoAndAtMostSevenHashes() {
    Scheme scheme = Scheme.of("polynomial-seeds");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme.positions("a", 1000, 7))
        .withMessageContainingAll("power of two", ": 1000");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme.positions("a", 1024, 8))
        .withMessageContainingAll("1 to 7", ": 8");
    assertThat(scheme.bitsFor(1, 0.5)).isEqualTo(scheme.bitsFor(1L << 40, 1e-9)).isEqualTo(1 << 25);
    assertThat(scheme.hashesFor(1, 64L)).isEqualTo(7);
  }

  @Test
  void guava_roundsUpToWholeLongs() {
    for (String name : List.of("guava-mitz-32", "guava-mitz-64")) {
      Scheme scheme = Scheme.of(name);
      assertThat(scheme.bitsFor(1000, 0.01)).isEqualTo(9585);
      assertThat(scheme.arrayBits(9585)).isEqualTo(9600);
      assertThat(scheme.arrayBits(9600)).isEqualTo(9600);
      assertThat(scheme.filter(1000, 0.01).bits()).isEqualTo(9600);
      assertThat(scheme.positions("a", 9585, 7)).isEqualTo(scheme.positions("a", 9600, 7));
      assertThatIllegalArgumentException().isThrownBy(() -> scheme.positions("a", 64, 256));
    }
  }

  @Test
  void guava_countsHashesAsItDidAndAsItDoes() {
    Scheme scheme = Scheme.of("guava-mitz-64");
    assertThat(scheme.bitsFor(1, 0.01)).isEqualTo(9);
    assertThat(scheme.hashesFor(1, 9L)).isEqualTo(6); // Up to 33.3.
    assertThat(scheme.hashesFor(1, 0.01)).isEqualTo(7); // From 33.4 on.
  }

  @ParameterizedTest
  @CsvSource({
    "hashcode-shift16, 9585, 6",
    "hashcode-shift16-int, 9585, 6",
    "djb2-sdbm, 9586, 7",
    "crc32-shift16, 9585, 6",
    "guava-mitz-32, 9600, 7",
    "guava-mitz-64, 9600, 7",
    "redisson, 9585, 7"
  })
  void filter_hasTheSizeOfTheOriginal(String name, long bits, int hashes) {
    ClassicFilter filter = Scheme.of(name).filter(1000, 0.01);
    assertThat(filter.bits()).isEqualTo(bits);
    assertThat(filter.hashes()).isEqualTo(hashes);
    assertThat(filter.scheme()).isSameAs(Scheme.of(name));
  }

  @ParameterizedTest
  @CsvSource({
    // keys, fpp, hashes: 6.64, 3.32, 9.97, 1.0002 and 5.64, rounded up
    "1000, 0.01, 7",
    "1000, 0.1, 4",
    "1000, 0.001, 10",
    "1000, 0.5, 2",
    "1000, 0.02, 6",
  })
  void djb2Sdbm_roundsTheNumberOfHashesUp(long keys, double fpp, int hashes) {
    assertThat(Scheme.of("djb2-sdbm").hashesFor(keys, fpp)).isEqualTo(hashes);
  }

  @Test
  void filter_refusesWhatTheOriginalsSizingLeadsTo() {
    // The originals cut the number of hashes off to 0, and would say "maybe" to everything.
    for (String name : List.of("hashcode-shift16", "hashcode-shift16-int", "crc32-shift16")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Scheme.of(name).filter(1000, 0.5))
          .withMessageContainingAll("hashes", ": 0");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.of("guava-mitz-64").filter(1, 0.9))
        .withMessageContainingAll("bits", ": 0");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.of("redisson").filter(800_000_000, 0.01))
        .withMessageContainingAll("4294967294", ": 7668046701");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scheme.of("djb2-sdbm").filterOf(1L << 40, 7))
        .withMessageContaining(": " + (1L << 40));
  }

  @ParameterizedTest
  @MethodSource("names")
  void sizing_refusesImpossiblePlans(String name) {
    Scheme scheme = Scheme.of(name);
    for (long keys : new long[] {0, -3}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scheme.bitsFor(keys, 0.01))
          .withMessageContaining(": " + keys);
      assertThatIllegalArgumentException().isThrownBy(() -> scheme.hashesFor(keys, 64L));
    }
    for (double fpp : new double[] {Double.NaN, -0.1, 1.1, Double.POSITIVE_INFINITY}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> scheme.bitsFor(10, fpp))
          .withMessageContainingAll("fpp", ": " + fpp);
      assertThatIllegalArgumentException().isThrownBy(() -> scheme.filter(10, fpp));
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> scheme.hashesFor(10, -1L))
        .withMessageContaining(": -1");
    if (!name.equals("redisson")) {
      assertThatIllegalArgumentException().isThrownBy(() -> scheme.bitsFor(10, 0.0));
      assertThatIllegalArgumentException().isThrownBy(() -> scheme.bitsFor(10, 1.0));
    }
  }
}
