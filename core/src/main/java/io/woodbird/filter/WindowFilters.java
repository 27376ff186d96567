package io.woodbird.filter;

import io.woodbird.FilterPlan;
import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Makes filters that forget. */
public final class WindowFilters {
  private WindowFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MutableFilter<K> empty(Setup<K> setup, long span, LongSupplier nanos) {
    Generational layout = layout(setup.expectedKeys(), setup.promisedFpp(), span);
    return new WindowFilter<>(setup, layout, span, nanos);
  }

  /** Sizes a filter. */
  public static FilterPlan plan(long keys, double fpp, long span) {
    Generational layout = layout(keys, fpp, span);
    long bytes = WindowCodec.dataBytes(layout);
    return new FilterPlan(
        "window",
        keys,
        layout.fppOfGenerations(WindowState.Rules.of(span, keys).generationKeys()),
        8 * bytes,
        FileWriter.sizeInBytes(bytes));
  }

  private static Generational layout(long keys, double fpp, long span) {
    if (keys <= 1L << 40) {
      Generational layout =
          span > 0 ? Generational.forFpp(keys, fpp) : Generational.forLastKeys(keys, fpp);
      if (layout.bloom().blockCount() <= BlockedBloom.MAX_BLOCKS / Generational.COUNT) {
        return layout;
      }
    }
    throw new IllegalArgumentException(
        String.format(
            Locale.ROOT, "%,d keys at fpp %s are more than a filter on the heap holds", keys, fpp));
  }
}
