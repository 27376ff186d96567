package io.woodbird.layout;

/** The tail of the normal distribution, exact enough to estimate sizes. */
final class NormalTail {
  private NormalTail() {}

  /** Returns the probability of more than {@code z} standard deviations above the mean. */
  static double above(double z) {
    // Abramowitz, Stegun: Handbook of Mathematical Functions, 7.1.26; off by at most 8e-8.
    double x = Math.abs(z) / Math.sqrt(2);
    double t = 1 / (1 + 0.3275911 * x);
    double sum = 1.421413741 + t * (-1.453152027 + t * 1.061405429);
    sum = t * (0.254829592 + t * (-0.284496736 + t * sum));
    double tail = sum * Math.exp(-x * x) / 2;
    return z < 0 ? 1 - tail : tail;
  }
}
