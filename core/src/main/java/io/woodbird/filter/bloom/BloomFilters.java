package io.woodbird.filter.bloom;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.filter.FilterSpec;
import io.woodbird.words.HeapWords;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Makes Bloom filters. */
public final class BloomFilters {
  private BloomFilters() {}

  /** Makes an empty filter on the heap. */
  public static <K> BloomFilter<K> empty(
      FilterSpec<K> spec, BloomShape shape, @Nullable Consumer<FilterStats> overfull) {
    return onHeap(spec, shape, overfull);
  }

  /** The layout of a filter that was built on the heap, or null if it lives elsewhere. */
  public static @Nullable BloomShape shapeOf(Filter<?> filter) {
    return filter instanceof HeapBloomFilter<?> heap ? heap.shape() : null;
  }

  /** What a filter on the heap was made for. */
  public static <K> FilterSpec<K> specOf(Filter<K> filter) {
    return ((HeapBloomFilter<K>) filter).spec();
  }

  /** The words of a filter that was built on the heap. */
  public static HeapWords wordsOf(Filter<?> filter) {
    return ((HeapBloomFilter<?>) filter).words();
  }

  static <K> HeapBloomFilter<K> onHeap(
      FilterSpec<K> spec, BloomShape shape, @Nullable Consumer<FilterStats> overfull) {
    OverfullNotices notices = new OverfullNotices(overfull, spec, shape);
    if (shape instanceof BloomShape.Blocked blocked) {
      return BlockedBloomFilter.of(spec, blocked.layout(), notices);
    }
    return new ClassicBloomFilter<>(spec, ((BloomShape.Classic) shape).layout(), notices);
  }
}
