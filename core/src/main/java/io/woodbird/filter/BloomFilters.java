package io.woodbird.filter;

import io.woodbird.BloomFilter;
import io.woodbird.FilterStats;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes Bloom filters. */
public final class BloomFilters {
  private BloomFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> BloomFilter<K> empty(
      Setup<K> setup, BloomShape shape, @Nullable Consumer<FilterStats> overfull) {
    return onHeap(setup, shape, overfull);
  }

  static <K> HeapBloomFilter<K> onHeap(
      Setup<K> setup, BloomShape shape, @Nullable Consumer<FilterStats> overfull) {
    Notices notices = new Notices(overfull, setup, shape);
    if (shape instanceof BloomShape.Blocked blocked) {
      return new BlockedBloomFilter<>(setup, blocked.layout(), notices);
    }
    return new ClassicBloomFilter<>(setup, ((BloomShape.Classic) shape).layout(), notices);
  }
}
