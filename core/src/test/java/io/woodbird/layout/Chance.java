package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

/** What chance explains: five deviations of what theory says. */
final class Chance {
  static final double DEVIATIONS = 5;

  private Chance() {}

  /**
   * Asserts that the cells were hit equally often: chi-square has mean k - 1, variance 2 (k - 1).
   */
  static void assertEven(long[] cells, String what) {
    double expected = 0;
    for (long cell : cells) {
      expected += (double) cell / cells.length;
    }
    assertThat(expected).as("hits per cell").isGreaterThan(20);
    double chiSquare = 0;
    for (long cell : cells) {
      chiSquare += (cell - expected) * (cell - expected) / expected;
    }
    double freedom = cells.length - 1;
    double bound = DEVIATIONS * Math.sqrt(2 * freedom);
    assertThat(chiSquare)
        .as("chi-square of %s, %d cells", what, cells.length)
        .isBetween(freedom - bound, freedom + bound);
  }

  /** Asserts that a theory gives the mean of some measurements. */
  static void assertMean(double[] measured, double theory, String what) {
    double sum = 0;
    for (double one : measured) {
      sum += one;
    }
    double mean = sum / measured.length;
    double squares = 0;
    for (double one : measured) {
      squares += (one - mean) * (one - mean);
    }
    double deviation = Math.sqrt(squares / (measured.length - 1) / measured.length);
    assertThat(theory)
        .as("%s: measured %s, deviation %s", what, mean, deviation)
        .isBetween(mean - DEVIATIONS * deviation, mean + DEVIATIONS * deviation);
  }
}
