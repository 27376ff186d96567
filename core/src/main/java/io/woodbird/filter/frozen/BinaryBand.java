package io.woodbird.filter.frozen;

import java.util.Arrays;

/** Linear equations over GF(2) with coefficients in a band of 64 slots, in triangular form. */
final class BinaryBand implements Band {
  /*
   * An equation goes into the row of its first slot, as into a hash table. If that row has an
   * equation already, the old equation is xored into the new one, which then starts later. An
   * equation that becomes zero is a combination of earlier ones: it follows from them or
   * contradicts them. Earlier rows are never changed, so an equation is removed by clearing its
   * row. When all equations are in, the slots are computed from the last to the first, all columns
   * at once.
   *
   * Each step waits for the one before. So two equations are reduced side by side, which takes
   * hardly longer than one. The second may then be at a row that the first has just filled; add()
   * goes on from there.
   */

  /** The row of an equation that follows from those before it. */
  static final int REDUNDANT = -1;

  /** The row of an equation that contradicts those before it. */
  static final int INCONSISTENT = -2;

  /** Row i has the equation whose first slot is i; 0 is none. */
  private long[] rows = new long[0];

  private int[] results = new int[0];

  @Override
  public void clear(int slots) {
    if (rows.length < slots) {
      rows = new long[slots];
      results = new int[slots];
    } else {
      Arrays.fill(rows, 0, slots, 0);
    }
  }

  @Override
  public int addAll(RibbonEquations equations, int count, int[] rowOf) {
    for (int i = 0; i < count; i += 2) {
      int second = Math.min(i + 1, count - 1);
      int at = equations.start(i);
      long left = equations.coefficients(i);
      int sum = equations.result(i);
      int at2 = equations.start(second);
      long left2 = equations.coefficients(second);
      int sum2 = equations.result(second);
      while (rows[at] != 0 && rows[at2] != 0 && left != 0 && left2 != 0) {
        left ^= rows[at];
        sum ^= results[at];
        int skip = Long.numberOfTrailingZeros(left) & 63;
        left >>>= skip;
        at += skip;

        left2 ^= rows[at2];
        sum2 ^= results[at2];
        int skip2 = Long.numberOfTrailingZeros(left2) & 63;
        left2 >>>= skip2;
        at2 += skip2;
      }
      rowOf[i] = add(at, left, sum);
      if (rowOf[i] == INCONSISTENT) {
        return i;
      }
      if (second > i) {
        rowOf[second] = add(at2, left2, sum2);
        if (rowOf[second] == INCONSISTENT) {
          return second;
        }
      }
    }
    return count;
  }

  private int add(int start, long coefficients, int result) {
    int at = start;
    long left = coefficients;
    int sum = result;
    while (left != 0 && rows[at] != 0) {
      left ^= rows[at];
      sum ^= results[at];
      int skip = Long.numberOfTrailingZeros(left) & 63;
      left >>>= skip;
      at += skip;
    }
    if (left == 0) {
      return sum == 0 ? REDUNDANT : INCONSISTENT;
    }
    rows[at] = left;
    results[at] = sum;
    return at;
  }

  @Override
  public void remove(int row) {
    if (row >= 0) {
      rows[row] = 0;
    }
  }

  @Override
  public void substitute(int firstSlot, long[] later) {
    for (int slot = firstSlot + 63; slot >= firstSlot; slot--) {
      long tail = rows[slot] >>> 1;
      int result = rows[slot] == 0 ? 0 : results[slot];
      for (int column = 0; column < later.length; column++) {
        long known = later[column];
        long bit = (Long.bitCount(tail & known) ^ (result >>> column)) & 1;
        later[column] = (known << 1) | bit;
      }
    }
  }
}
