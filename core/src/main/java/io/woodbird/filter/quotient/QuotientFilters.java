package io.woodbird.filter.quotient;

import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.Quotient;

/** Makes quotient filters of a fixed size. */
public final class QuotientFilters {
  private QuotientFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(FilterSpec<K> spec) {
    HeapFilter.requireRoom(spec, plan(spec.expectedKeys(), spec.promisedFpp()));
    return QuotientFilter.empty(spec, layout(spec.expectedKeys(), spec.promisedFpp()));
  }

  /** Returns the size of a filter. */
  public static FilterPlan plan(long keys, double fpp) {
    Quotient layout = layout(keys, fpp);
    long bytes = QuotientCodec.dataBytes(layout);
    return new FilterPlan(
        "deletable", keys, layout.fpp(keys), 8 * bytes, FileWriter.sizeInBytes(bytes));
  }

  private static Quotient layout(long keys, double fpp) {
    if (keys > HeapFilter.MAX_KEYS) {
      throw HeapFilter.tooMany(keys, fpp);
    }
    return Quotient.forFpp(keys, fpp);
  }
}
