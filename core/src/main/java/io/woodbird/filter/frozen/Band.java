package io.woodbird.filter.frozen;

/** Linear equations over GF(2) with coefficients in a band of 64 slots. */
interface Band {
  /** Removes all equations. */
  void clear(int slots);

  /** Adds equations until one contradicts others; returns how many were added, and their rows. */
  int addAll(RibbonEquations equations, int count, int[] rowOf);

  /** Removes the equation in a row; does nothing for {@link BinaryBand#REDUNDANT}. */
  void remove(int row);

  /**
   * Computes the 64 slots of a segment, last first. For each column, {@code later} has the slots of
   * the next segment, and gets those of this one.
   */
  void substitute(int firstSlot, long[] later);
}
