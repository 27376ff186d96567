package io.woodbird.filter.frozen;

/** Looks up values in the data of a map. */
interface MapKernel {
  /** Returns the value of a hash; {@code absent} if the data says that it is not in the map. */
  long find(long hash, long absent);
}
