package io.woodbird.filter.bloom;

import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.file.FileWriter;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.HeapFilter;
import io.woodbird.layout.BlockedBloom;
import io.woodbird.layout.BlockedBloomSize;

/** Makes counting Bloom filters. */
public final class CountingFilters {
  private CountingFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> MergeableFilter<K> empty(FilterSpec<K> spec) {
    HeapFilter.requireRoom(spec, plan(spec.expectedKeys(), spec.promisedFpp()));
    return new CountingBloomFilter<>(spec, layout(spec.expectedKeys(), spec.promisedFpp()));
  }

  /** Sizes a filter. */
  public static FilterPlan plan(long keys, double fpp) {
    BlockedBloom layout = layout(keys, fpp);
    long bytes = layout.bitCount() / 2; // Four bits where a Bloom filter has one.
    return new FilterPlan(
        "counting",
        keys,
        BlockedBloomSize.fpp(layout, keys),
        8 * bytes,
        FileWriter.sizeInBytes(bytes));
  }

  private static BlockedBloom layout(long keys, double fpp) {
    if (keys <= BlockedBloom.MAX_BLOCKS * BlockedBloom.BITS) {
      BlockedBloom layout = BlockedBloomSize.forFpp(keys, fpp);
      if (layout.blockCount() <= BlockedBloom.MAX_BLOCKS / 4) {
        return layout;
      }
    }
    throw HeapFilter.tooMany(keys, fpp);
  }
}
