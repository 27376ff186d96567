package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("compiled")
final class ClassicBloomTest {
  private static final int HASHES = 1 << 18;

  @ParameterizedTest
  @ValueSource(longs = {64, 1024, 1_000_000, ClassicBloom.MAX_BITS, 1L << 46})
  void everyPositionIsInRange(long bits) {
    SplittableRandom random = new SplittableRandom(0xc1a5);
    for (int round = 0; round < 5000; round++) {
      long hash = round == 0 ? 0 : round == 1 ? -1 : random.nextLong();
      for (long position : Positions.of(new ClassicBloom(bits, 20), hash)) {
        assertThat(position).isBetween(0L, bits - 1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1024, 1088, ClassicBloom.MAX_BITS, 1L << 46})
  void everyStepHitsAllPartsEquallyOften(long bits) {
    SplittableRandom random = new SplittableRandom(0xc1a6);
    long[][] cells = new long[20][1024];
    for (int i = 0; i < HASHES; i++) {
      long[] positions = Positions.of(new ClassicBloom(bits, 20), random.nextLong());
      for (int step = 0; step < 20; step++) {
        cells[step][(int) (positions[step] / (bits / 1024.0))]++;
      }
    }
    for (int step = 0; step < 20; step++) {
      if (bits % 1024 == 0) { // Otherwise some cells have a bit more than others.
        Chance.assertEven(cells[step], "positions of step " + step);
      } else {
        assertThat(cells[step]).doesNotContain(0);
      }
    }
  }

  @Test
  void twoStepsOfAHashAreIndependent() {
    SplittableRandom random = new SplittableRandom(0xc1a7);
    int steps = 12;
    long[][] joint = new long[steps * steps][32 * 32];
    for (int i = 0; i < HASHES; i++) {
      long[] positions = Positions.of(new ClassicBloom(32, steps), random.nextLong());
      for (int one = 0; one < steps; one++) {
        for (int other = 0; other < one; other++) {
          joint[steps * one + other][(int) (32 * positions[one] + positions[other])]++;
        }
      }
    }
    for (int one = 0; one < steps; one++) {
      for (int other = 0; other < one; other++) {
        Chance.assertEven(joint[steps * one + other], "steps " + one + " and " + other);
      }
    }
  }

  @Test
  void thePositionsAreForEver() {
    int checked = 0;
    for (String[] vector : Golden.read("positions.csv")) {
      if (vector[0].startsWith("CLASSIC")) {
        int hashes = Integer.parseInt(vector[0].substring("CLASSIC_".length()));
        ClassicBloom layout = new ClassicBloom(Long.parseLong(vector[1]), hashes);
        long[] positions = Positions.of(layout, Long.parseUnsignedLong(vector[2], 16));
        assertThat(positions).as(Arrays.toString(vector)).isEqualTo(Golden.numbers(vector[3]));
        checked++;
      }
    }
    assertThat(checked).isEqualTo(3 * 3 * 8);
  }

  @ParameterizedTest(name = "{0} bits, {1} hashes, {2} keys")
  @CsvSource({
    "64, 1, 10",
    "64, 7, 3",
    "512, 2, 200",
    "1024, 7, 100",
    "4096, 3, 1000",
    "9600, 7, 1000",
    "9600, 20, 300",
    "100032, 7, 10000",
    "143808, 10, 10000"
  })
  void theFormulaGivesTheFppOfASimulation(long bits, int hashes, int keys) {
    ClassicBloom layout = new ClassicBloom(bits, hashes);
    double[] measured = Simulation.run(bits, 60, keys, 20_000, hash -> Positions.of(layout, hash));
    Chance.assertMean(measured, meanFpp(layout, keys), layout + " with " + keys + " keys");
  }

  /** The formula, and for small filters what the chance of the number of set bits adds to it. */
  private static double meanFpp(ClassicBloom layout, int keys) {
    double fpp = ClassicBloomSize.fpp(layout, keys);
    double load = (double) keys * layout.hashCount() / layout.bitCount();
    double clear = Math.exp(-load);
    double fill = 1 - clear;
    double variance = (clear - (1 + load) * clear * clear) / layout.bitCount();
    int k = layout.hashCount();
    return fpp * (1 + k * (k - 1) / 2.0 * variance / (fill * fill));
  }
}
