package io.woodbird.filter;

import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.layout.Growing;

/** Makes filters that grow. */
public final class GrowingFilters {
  private GrowingFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(Setup<K> setup) {
    Growing layout = Growing.forFpp(setup.expectedKeys(), setup.promisedFpp());
    return new GrowingFilter<>(setup, layout);
  }

  /** Sizes a filter that has a number of keys and may have more. */
  public static FilterPlan plan(long keys, long maxKeys, double fpp) {
    Growing layout = Growing.forFpp(Math.max(keys, maxKeys), fpp);
    long bits = layout.bits(keys);
    return new FilterPlan(
        "growing", keys, layout.fpp(keys), bits, FileWriter.sizeInBytes(bits / 8));
  }
}
