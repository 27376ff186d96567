package io.woodbird.key;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class MixTest {
  private static final long GAMMA = 0x9e3779b97f4a7c15L;

  @Test
  void mix64_isTheOneOfSplittableRandom() {
    SplittableRandom seeds = new SplittableRandom(0x3143);
    for (int round = 0; round < 1000; round++) {
      long seed = seeds.nextLong();
      SplittableRandom random = new SplittableRandom(seed);
      for (int i = 1; i <= 20; i++) {
        assertThat(RapidHash.mix64(seed + i * GAMMA))
            .as("seed %d", seed)
            .isEqualTo(random.nextLong());
      }
    }
  }

  @Test
  void mix64_canBeUndoneAndSoMapsNoTwoKeysToOneHash() {
    SplittableRandom random = new SplittableRandom(0x3144);
    for (int round = 0; round < 100_000; round++) {
      long value = round < 1000 ? round - 500 : random.nextLong();
      assertThat(unmix64(RapidHash.mix64(value))).isEqualTo(value);
    }
  }

  private static long unmix64(long mixed) {
    long value = unshift(mixed, 31) * inverse(0x94d049bb133111ebL);
    value = unshift(value, 27) * inverse(0xbf58476d1ce4e5b9L);
    return unshift(value, 30);
  }

  /** Solves x ^ (x >>> shift) = y. */
  private static long unshift(long y, int shift) {
    long x = y;
    for (int known = shift; known < 64; known += shift) {
      x = y ^ (x >>> shift);
    }
    return x;
  }

  /** The inverse of an odd number modulo 2^64: each step doubles the bits that are right. */
  private static long inverse(long odd) {
    long inverse = odd;
    for (int i = 0; i < 6; i++) {
      inverse *= 2 - odd * inverse;
    }
    return inverse;
  }
}
