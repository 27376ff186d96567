package io.woodbird.filter.quotient;

import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.layout.Growing;

/** Makes growing filters. */
public final class GrowingFilters {
  private GrowingFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(FilterSpec<K> spec) {
    Growing layout = Growing.forFpp(spec.expectedKeys(), spec.promisedFpp());
    return new GrowingFilter<>(spec, layout);
  }

  /** Returns the size of a filter with {@code keys} keys that may grow to {@code maxKeys}. */
  public static FilterPlan plan(long keys, long maxKeys, double fpp) {
    Growing layout = Growing.forFpp(Math.max(keys, maxKeys), fpp);
    long bits = layout.bits(keys);
    return new FilterPlan(
        "growing", keys, layout.fpp(keys), bits, FileWriter.sizeInBytes(bits / 8));
  }
}
