package io.woodbird.filter.quotient;

import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.Growing;

/** Makes filters that grow. */
public final class GrowingFilters {
  private GrowingFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(FilterSpec<K> spec) {
    Growing layout = Growing.forFpp(spec.expectedKeys(), spec.promisedFpp());
    return new GrowingFilter<>(spec, layout);
  }

  /** Sizes a filter that has a number of keys and may have more. */
  public static FilterPlan plan(long keys, long maxKeys, double fpp) {
    Growing layout = Growing.forFpp(Math.max(keys, maxKeys), fpp);
    long bits = layout.bits(keys);
    return new FilterPlan(
        "growing", keys, layout.fpp(keys), bits, FileWriter.sizeInBytes(bits / 8));
  }
}
