package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;

/** The equations of some keys: start, coefficients and results. */
final class RibbonEquations {
  private int[] starts = new int[1024];
  private long[] bits = new long[1024];
  private long[] values = new long[0];

  /** Sets the values of the keys that were set, already xored with their masks. */
  void setValues(long[] all, int from, int to, long mask) {
    if (values.length < to - from) {
      values = new long[Math.max(1024, to - from)];
    }
    for (int i = to - 1, at = 0; i >= from; i--, at++) {
      values[at] = (all[i] ^ Ribbon.valueMask(bits[at])) & mask;
    }
  }

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

  long value(int at) {
    return values[at];
  }

  int result(int at) {
    return Ribbon.result(bits[at]);
  }

  int ternaryResult(int at) {
    return Ribbon.ternaryResult(bits[at]);
  }
}
