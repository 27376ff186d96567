package io.woodbird.filter.window;

import io.woodbird.FilterPlan;
import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.Generational;
import io.woodbird.words.HeapWords;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Makes filters whose keys expire. */
public final class WindowFilters {
  private WindowFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MutableFilter<K> empty(FilterSpec<K> spec, long span, LongSupplier nanos) {
    Generational layout = layout(spec.expectedKeys(), spec.promisedFpp(), span);
    return new WindowFilter<>(spec, layout, span, nanos);
  }

  /**
   * Makes a filter of a window of time on the heap, with generations that are kept elsewhere.
   *
   * @param newest the number of the newest generation
   * @param ages how many nanoseconds ago the generation of each slot ended, -1 if it did not
   * @param fill sets the words, which lie as {@link Generational} says
   */
  public static <K> MutableFilter<K> copyOf(
      FilterSpec<K> spec,
      Generational layout,
      long span,
      long newest,
      List<Long> ages,
      Consumer<HeapWords> fill) {
    WindowFilter<K> filter = new WindowFilter<>(spec, layout, span, System::nanoTime);
    fill.accept(filter.words());
    filter.restore(newest, ages);
    return filter;
  }

  /** Returns the size of a filter. */
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
    if (keys <= HeapFilter.MAX_KEYS) {
      Generational layout =
          span > 0 ? Generational.forFpp(keys, fpp) : Generational.forLastKeys(keys, fpp);
      if (layout.bloom().blockCount() <= BlockedBloom.MAX_BLOCKS / Generational.COUNT) {
        return layout;
      }
    }
    throw HeapFilter.tooMany(keys, fpp);
  }
}
