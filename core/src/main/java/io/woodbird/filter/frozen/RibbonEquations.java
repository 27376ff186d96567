package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;

/** The equations of some keys: start, coefficients and results. */
final class RibbonEquations {
  private int[] starts = new int[1024];
  private long[] bits = new long[1024];

  /** Computes the equations of the keys from {@code to - 1} down to {@code from}. */
  void set(long[] keys, int from, int to, int slots) {
    if (starts.length < to - from) {
      starts = new int[to - from];
      bits = new long[to - from];
    }
    for (int i = to - 1, at = 0; i >= from; i--, at++) {
      starts[at] = Ribbon.start(keys[i], slots);
      bits[at] = Ribbon.bits(keys[i]);
    }
  }

  int start(int at) {
    return starts[at];
  }

  long coefficients(int at) {
    return Ribbon.coefficients(bits[at]);
  }

  int result(int at) {
    return Ribbon.result(bits[at]);
  }

  int ternaryResult(int at) {
    return Ribbon.ternaryResult(bits[at]);
  }
}
