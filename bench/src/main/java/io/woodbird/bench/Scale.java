package io.woodbird.bench;

/**
 * How much is measured.
 *
 * @param divisor of all numbers of keys
 * @param effort of all measuring times: 1 to publish
 * @param mostRounds of any section
 */
record Scale(long divisor, double effort, int mostRounds) {
  /** What is published. */
  static final Scale FULL = new Scale(1, 1, Integer.MAX_VALUE);

  /** One short round of everything: to see about where things are. */
  static final Scale QUICK = new Scale(1, 0.4, 1);

  /** A thousandth of the keys: only to see that it runs. */
  static final Scale SMOKE = new Scale(1000, 0.01, 1);

  long keys(long n) {
    return n / divisor;
  }

  int rounds(int wanted) {
    return Math.min(wanted, mostRounds);
  }

  /** Whether the numbers mean anything. */
  boolean judged() {
    return divisor == 1;
  }
}
