package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ClassicBloomSizeTest {
  private static final double[] FPPS = {0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-9};

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000L})
  void forFpp_meetsTheRequestInWholeWords(long keys) {
    for (double fpp : FPPS) {
      ClassicBloom layout = ClassicBloomSize.forFpp(keys, fpp);
      assertThat(ClassicBloomSize.fpp(layout, keys)).isPositive().isLessThanOrEqualTo(fpp);
      assertThat(layout.bitCount() % 64).isZero();
      assertThat(layout.bitCount()).isPositive();
    }
  }

  @Test
  void forFpp_takesWhatTheoryNeeds() {
    // log2(e) log2(1 / fpp) bits a key, more where the best number of hashes is not whole.
    for (double fpp : new double[] {0.01, 1e-3, 1e-4, 1e-6}) {
      double theory = -Math.log(fpp) / (Math.log(2) * Math.log(2));
      ClassicBloom layout = ClassicBloomSize.forFpp(1_000_000_000, fpp);
      assertThat(layout.bitCount() / 1e9).isBetween(theory, 1.005 * theory);
    }
    assertThat(ClassicBloomSize.forFpp(1_000_000_000, 0.01).bitCount() / 1e9)
        .isCloseTo(9.59, within(0.01));
  }

  @Test
  void forBits_isTheBestOfItsSize() {
    for (long bits : new long[] {64, 1000, 9600, 100_000, 2_000_000}) {
      for (long keys : new long[] {10, 1000, 100_000}) {
        ClassicBloom layout = ClassicBloomSize.forBits(keys, bits);
        assertThat(layout.bitCount()).isBetween(bits - 63, Math.max(64, bits));
        double fpp = ClassicBloomSize.fpp(layout, keys);
        for (int hashes = 1; hashes <= 64; hashes++) {
          ClassicBloom other = new ClassicBloom(layout.bitCount(), hashes);
          assertThat(ClassicBloomSize.fpp(other, keys)).isGreaterThan(0.98 * fpp);
        }
      }
    }
  }

  @Test
  void keysAt_undoesTheFill() {
    ClassicBloom layout = new ClassicBloom(9600, 7);
    for (int keys = 0; keys <= 3000; keys += 100) {
      double fill = Math.pow(ClassicBloomSize.fpp(layout, keys), 1.0 / 7);
      assertThat(ClassicBloomSize.keysAt(layout, fill)).isCloseTo(keys, within(1e-6 * 3000));
    }
    assertThat(ClassicBloomSize.keysAt(layout, 1)).isFinite().isGreaterThan(3000);
  }
}
