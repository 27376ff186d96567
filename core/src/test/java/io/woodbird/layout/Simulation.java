package io.woodbird.layout;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.function.LongFunction;

/** Filters made of a BitSet: what the formulas must give. */
final class Simulation {
  private Simulation() {}

  /** Returns the share of absent hashes that each of some filters takes for present. */
  static double[] run(
      long bitCount, int filters, int keys, int probes, LongFunction<long[]> positions) {
    SplittableRandom random = new SplittableRandom(31 * bitCount + keys);
    double[] measured = new double[filters];
    for (int filter = 0; filter < filters; filter++) {
      BitSet bits = new BitSet(Math.toIntExact(bitCount));
      for (int key = 0; key < keys; key++) {
        for (long position : positions.apply(random.nextLong())) {
          bits.set((int) position);
        }
      }
      int hits = 0;
      for (int probe = 0; probe < probes; probe++) {
        hits += allSet(bits, positions.apply(random.nextLong())) ? 1 : 0;
      }
      measured[filter] = (double) hits / probes;
    }
    return measured;
  }

  private static boolean allSet(BitSet bits, long[] positions) {
    for (long position : positions) {
      if (!bits.get((int) position)) {
        return false;
      }
    }
    return true;
  }
}
