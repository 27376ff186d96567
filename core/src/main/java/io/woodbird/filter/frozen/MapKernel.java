package io.woodbird.filter.frozen;

import java.util.OptionalLong;

/** Looks up values in the data of a map. */
interface MapKernel {
  /** Returns the value of a hash; empty if the data says that it is not in the map. */
  OptionalLong find(long hash);
}
