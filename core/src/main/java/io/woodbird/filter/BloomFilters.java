package io.woodbird.filter;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.file.Header;
import io.woodbird.words.HeapWords;
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

  /** The header of the file of a Bloom filter, wherever its bits live. */
  public static Header header(BloomShape shape, Setup<?> setup) {
    return BloomCodec.header(shape, setup);
  }

  /** The layout of a filter that was built on the heap, or null if it lives elsewhere. */
  public static @Nullable BloomShape shapeOf(Filter<?> filter) {
    return filter instanceof HeapBloomFilter<?> heap ? heap.shape() : null;
  }

  /** What a filter that was built on the heap was told at birth. */
  public static <K> Setup<K> setupOf(Filter<K> filter) {
    return ((HeapBloomFilter<K>) filter).setup();
  }

  /** The words of a filter that was built on the heap. */
  public static HeapWords wordsOf(Filter<?> filter) {
    return ((HeapBloomFilter<?>) filter).words();
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
