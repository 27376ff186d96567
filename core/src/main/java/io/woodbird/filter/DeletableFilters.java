package io.woodbird.filter;

import io.woodbird.DeletableLayout;
import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;
import io.woodbird.layout.Quotient;
import java.util.Locale;

/** Makes filters that give keys back. */
public final class DeletableFilters {
  private DeletableFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(DeletableLayout layout, Setup<K> setup) {
    FilterPlan plan = plan(layout, setup.expectedKeys(), setup.promisedFpp());
    long heap = Runtime.getRuntime().maxMemory();
    if (plan.bits() / 8 > heap) { // It would fill the heap part by part before it failed.
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %,d bytes, and the heap has at most %,d",
              setup.expectedKeys(),
              setup.promisedFpp(),
              plan.bits() / 8,
              heap));
    }
    return layout == DeletableLayout.QUOTIENT
        ? QuotientFilter.empty(setup, quotient(setup.expectedKeys(), setup.promisedFpp()))
        : new CountingBloomFilter<>(setup, counting(setup.expectedKeys(), setup.promisedFpp()));
  }

  /** Sizes a filter. */
  public static FilterPlan plan(DeletableLayout layout, long keys, double fpp) {
    if (layout == DeletableLayout.QUOTIENT) {
      Quotient quotient = quotient(keys, fpp);
      long bytes = QuotientCodec.dataBytes(quotient);
      return new FilterPlan(
          "deletable", keys, quotient.fpp(keys), 8 * bytes, FileWriter.sizeInBytes(bytes));
    }
    BlockedBloom counting = counting(keys, fpp);
    long bytes = counting.bitCount() / 2;
    return new FilterPlan(
        "counting",
        keys,
        BlockedBloomSize.fpp(counting, keys),
        8 * bytes,
        FileWriter.sizeInBytes(bytes));
  }

  private static Quotient quotient(long keys, double fpp) {
    if (keys > 1L << 40) {
      throw tooMany(keys, fpp);
    }
    return Quotient.forFpp(keys, fpp);
  }

  private static BlockedBloom counting(long keys, double fpp) {
    BlockedBloom layout =
        keys > BlockedBloom.MAX_BLOCKS * 512
            ? new BlockedBloom(Long.MAX_VALUE, io.woodbird.layout.BlockShape.TWO_1)
            : BlockedBloomSize.forFpp(keys, fpp);
    if (layout.blockCount() > BlockedBloom.MAX_BLOCKS / 4) {
      throw tooMany(keys, fpp);
    }
    return layout;
  }

  private static IllegalArgumentException tooMany(long keys, double fpp) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT, "%,d keys at fpp %s are more than a filter on the heap holds", keys, fpp));
  }
}
