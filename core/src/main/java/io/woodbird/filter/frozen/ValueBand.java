package io.woodbird.filter.frozen;

import java.util.Arrays;

/** The equations of a map: as in BinaryBand, with up to 64 bits of a value beside the result. */
final class ValueBand implements Band {
  /*
   * A row is four longs that lie together: equation, result, value, and one unused, so that a step
   * of the elimination touches one cache line. The value's columns come first in a segment.
   */
  private static final int ROW = 4;

  private final int valueBits;
  private long[] rows = new long[0];

  ValueBand(int valueBits) {
    this.valueBits = valueBits;
  }

  @Override
  public void clear(int slots) {
    int length = Math.multiplyExact(ROW, slots);
    if (rows.length < length) {
      rows = new long[length];
    } else {
      Arrays.fill(rows, 0, length, 0);
    }
  }

  @Override
  public int addAll(RibbonEquations equations, int count, int[] rowOf) {
    for (int i = 0; i < count; i++) {
      rowOf[i] = add(equations, i);
      if (rowOf[i] == BinaryBand.INCONSISTENT) {
        return i;
      }
    }
    return count;
  }

  private int add(RibbonEquations equations, int i) {
    int at = ROW * equations.start(i);
    long left = equations.coefficients(i);
    long sum = equations.result(i);
    long value = equations.value(i);
    while (left != 0 && rows[at] != 0) {
      left ^= rows[at];
      sum ^= rows[at + 1];
      value ^= rows[at + 2];
      int skip = Long.numberOfTrailingZeros(left) & 63;
      left >>>= skip;
      at += ROW * skip;
    }
    if (left == 0) {
      return sum == 0 && value == 0 ? BinaryBand.REDUNDANT : BinaryBand.INCONSISTENT;
    }
    rows[at] = left;
    rows[at + 1] = sum;
    rows[at + 2] = value;
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
      int at = ROW * slot;
      long tail = rows[at] >>> 1;
      long result = rows[at] == 0 ? 0 : rows[at + 1];
      long value = rows[at] == 0 ? 0 : rows[at + 2];
      for (int column = 0; column < later.length; column++) {
        long wanted = column < valueBits ? value >>> column : result >>> (column - valueBits);
        long known = later[column];
        later[column] = (known << 1) | ((Long.bitCount(tail & known) ^ wanted) & 1);
      }
    }
  }
}
