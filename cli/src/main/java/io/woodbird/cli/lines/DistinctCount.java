package io.woodbird.cli.lines;

/** Estimates how many distinct hashes there are, in 64 KiB. */
public final class DistinctCount {
  /*
   * HyperLogLog with 2^16 registers: the first 16 bits of a hash choose a register, which keeps the
   * longest run of leading zeros of the other 48. The number is estimated as in O. Ertl, "New
   * cardinality estimation algorithms for HyperLogLog sketches" (2017), which needs no tables of
   * corrections and holds from zero on. The standard error is 1.04 / sqrt(2^16) = 0.41 %.
   *
   * The order of the hashes does not matter, so the same lines make the same filter. 2 % are added,
   * five standard errors, so that the promised fpp is kept; and never more than there are lines. So
   * input without repetitions is sized by its lines exactly.
   */
  private static final int INDEX_BITS = 16;
  private static final int REGISTERS = 1 << INDEX_BITS;
  private static final int LONGEST = 64 - INDEX_BITS;
  private static final double MARGIN = 1.02;

  private final byte[] registers = new byte[REGISTERS];

  public void add(long[] hashes, int number) {
    for (int i = 0; i < number; i++) {
      long hash = hashes[i];
      int index = (int) (hash >>> (64 - INDEX_BITS));
      int zeros = Math.min(LONGEST, Long.numberOfLeadingZeros(hash << INDEX_BITS));
      if (registers[index] <= zeros) {
        registers[index] = (byte) (zeros + 1);
      }
    }
  }

  /** About how many distinct hashes there are. */
  double estimate() {
    int[] counts = new int[LONGEST + 2];
    for (byte register : registers) {
      counts[register]++;
    }
    double z = REGISTERS * tau(1 - counts[LONGEST + 1] / (double) REGISTERS);
    for (int k = LONGEST; k >= 1; k--) {
      z = 0.5 * (z + counts[k]);
    }
    z += REGISTERS * sigma(counts[0] / (double) REGISTERS);
    return REGISTERS / (2 * Math.log(2)) * REGISTERS / z;
  }

  private static double sigma(double share) {
    if (share == 1) {
      return Double.POSITIVE_INFINITY;
    }
    double x = share;
    double y = 1;
    double sum = x;
    for (double before = -1; sum != before; ) {
      x *= x;
      before = sum;
      sum += x * y;
      y += y;
    }
    return sum;
  }

  private static double tau(double share) {
    if (share == 0 || share == 1) {
      return 0;
    }
    double x = share;
    double y = 1;
    double sum = 1 - x;
    for (double before = -1; sum != before; ) {
      x = Math.sqrt(x);
      before = sum;
      y *= 0.5;
      sum -= (1 - x) * (1 - x) * y;
    }
    return sum / 3;
  }

  /** How many distinct hashes there are at most in {@code lines} lines that were added. */
  public long atMost(long lines) {
    return Math.min(lines, (long) Math.ceil(estimate() * MARGIN));
  }
}
