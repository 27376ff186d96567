package io.woodbird.filter.frozen;

import io.woodbird.layout.Ribbon;
import java.util.Arrays;

/** Linear equations over GF(3) with coefficients in a band of 64 slots, as in BinaryBand. */
final class TernaryBand {
  /*
   * 64 numbers from 0 to 2 are stored in two words: one has a bit for each 1, the other for each 2.
   * Negating swaps the two words. The sum of a and b:
   *
   *   t = (a1 | b2) ^ (a2 | b1)      one = (a2 | b2) ^ t      two = (a1 | b1) ^ t
   *
   * The first coefficient of an equation is always 1; if it would be 2, the equation is negated. No
   * processor could predict when, so this is done without a branch. The result only needs to be
   * right modulo 3.
   *
   * The step that eliminates a slot is written three times: twice in addAll, which takes two
   * equations at once as BinaryBand does, and in add. A Java method can't return the four numbers
   * that it changes.
   */

  /** Row i has the equation whose first slot is i; 0 if there is none. */
  private long[] ones = new long[0];

  private long[] twos = new long[0];
  private byte[] results = new byte[0];

  void clear(int slots) {
    if (ones.length < slots) {
      ones = new long[slots];
      twos = new long[slots];
      results = new byte[slots];
    } else {
      Arrays.fill(ones, 0, slots, 0);
    }
  }

  /** Adds equations until one contradicts others; returns how many were added, and their rows. */
  int addAll(RibbonEquations equations, int count, int[] rowOf) {
    for (int i = 0; i < count; i += 2) {
      int second = Math.min(i + 1, count - 1);
      int at = equations.start(i);
      long one = equations.coefficients(i);
      long two = 0;
      int sum = equations.ternaryResult(i);
      int at2 = equations.start(second);
      long one2 = equations.coefficients(second);
      long two2 = 0;
      int sum2 = equations.ternaryResult(second);
      while (ones[at] != 0 && ones[at2] != 0 && one != 0 && one2 != 0) {
        long t = (one | ones[at]) ^ (two | twos[at]);
        long nextOne = (two | ones[at]) ^ t;
        long nextTwo = (one | twos[at]) ^ t;
        sum -= results[at];
        int skip = Long.numberOfTrailingZeros(nextOne | nextTwo) & 63;
        at += skip;
        nextOne >>>= skip;
        nextTwo >>>= skip;
        long negate = (nextOne & 1) - 1;
        long swap = (nextOne ^ nextTwo) & negate;
        one = nextOne ^ swap;
        two = nextTwo ^ swap;
        sum = (sum ^ (int) negate) - (int) negate;

        long t2 = (one2 | ones[at2]) ^ (two2 | twos[at2]);
        long nextOne2 = (two2 | ones[at2]) ^ t2;
        long nextTwo2 = (one2 | twos[at2]) ^ t2;
        sum2 -= results[at2];
        int skip2 = Long.numberOfTrailingZeros(nextOne2 | nextTwo2) & 63;
        at2 += skip2;
        nextOne2 >>>= skip2;
        nextTwo2 >>>= skip2;
        long negate2 = (nextOne2 & 1) - 1;
        long swap2 = (nextOne2 ^ nextTwo2) & negate2;
        one2 = nextOne2 ^ swap2;
        two2 = nextTwo2 ^ swap2;
        sum2 = (sum2 ^ (int) negate2) - (int) negate2;
      }
      rowOf[i] = add(at, one, two, sum);
      if (rowOf[i] == BinaryBand.INCONSISTENT) {
        return i;
      }
      if (second > i) {
        rowOf[second] = add(at2, one2, two2, sum2);
        if (rowOf[second] == BinaryBand.INCONSISTENT) {
          return second;
        }
      }
    }
    return count;
  }

  private int add(int start, long startOne, long startTwo, int result) {
    int at = start;
    long one = startOne;
    long two = startTwo;
    int sum = result;
    while (one != 0 && ones[at] != 0) {
      long t = (one | ones[at]) ^ (two | twos[at]);
      long nextOne = (two | ones[at]) ^ t;
      long nextTwo = (one | twos[at]) ^ t;
      sum -= results[at];
      int skip = Long.numberOfTrailingZeros(nextOne | nextTwo) & 63;
      at += skip;
      nextOne >>>= skip;
      nextTwo >>>= skip;
      long negate = (nextOne & 1) - 1;
      long swap = (nextOne ^ nextTwo) & negate;
      one = nextOne ^ swap;
      two = nextTwo ^ swap;
      sum = (sum ^ (int) negate) - (int) negate;
    }
    int reduced = Math.floorMod(sum, 3);
    if (one == 0) {
      return reduced == 0 ? BinaryBand.REDUNDANT : BinaryBand.INCONSISTENT;
    }
    ones[at] = one;
    twos[at] = two;
    results[at] = (byte) reduced;
    return at;
  }

  /** Removes the equation in a row; does nothing for {@link BinaryBand#REDUNDANT}. */
  void remove(int row) {
    if (row >= 0) {
      ones[row] = 0;
    }
  }

  /** Computes the slots, last first, and writes the first {@code stored} of them. */
  void substitute(int slots, int stored, long[] words, int at) {
    long one = 0; // the 64 slots after the current one
    long two = 0;
    long packed = 0;
    int digits = 0;
    for (int slot = slots - 1; slot >= 0; slot--) {
      int value = 0;
      if (ones[slot] != 0) {
        long tailOne = ones[slot] >>> 1;
        long tailTwo = twos[slot] >>> 1;
        int sum =
            Long.bitCount((tailOne & one) | (tailTwo & two))
                + 2 * Long.bitCount((tailOne & two) | (tailTwo & one));
        value = (results[slot] + 2 * sum) % 3;
      }
      one = (one << 1) | (value & 1);
      two = (two << 1) | (value >>> 1);
      if (slot < stored) {
        digits = 3 * digits + value;
        if (slot % Ribbon.TERNARY_PER_BYTE == 0) {
          packed = (packed << 8) | digits;
          digits = 0;
        }
        if (slot % Ribbon.TERNARY_PER_WORD == 0) {
          words[at + slot / Ribbon.TERNARY_PER_WORD] = packed;
          packed = 0;
        }
      }
    }
  }
}
