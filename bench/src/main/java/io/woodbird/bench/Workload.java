package io.woodbird.bench;

import java.util.Locale;
import java.util.SplittableRandom;

/** Which keys are asked about. The keys numbered 0 to n - 1 are in the filter. */
public enum Workload {
  /** Keys that are here. */
  HIT(1),
  /** Keys that are not. */
  MISS(2),
  /** Half and half in random order, so that no branch can be predicted from the last key. */
  MIX(3);

  private final long seed;

  Workload(long seed) {
    this.seed = seed;
  }

  /** Draws the numbers of {@code count} keys; the same ones in every run. */
  long[] ids(long n, int count) {
    return ids(n, count, seed);
  }

  /** Draws the numbers of {@code count} other keys for each seed. */
  long[] ids(long n, int count, long from) {
    SplittableRandom random = new SplittableRandom(from);
    long[] ids = new long[count];
    for (int i = 0; i < count; i++) {
      boolean here = this == HIT || (this == MIX && random.nextBoolean());
      ids[i] = here ? random.nextLong(n) : n + random.nextLong(1L << 40);
    }
    return ids;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static Workload of(String label) {
    return valueOf(label.toUpperCase(Locale.ROOT));
  }
}
