package io.woodbird.redis;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.filter.BloomFilters;
import io.woodbird.words.HeapWords;
import java.util.Objects;

/** All bits of a filter of the same parameters. */
record FileFilling<K>(Filter<K> file) implements Filling<K> {
  @Override
  public long fill(long number, BloomFilter<K> heap, Lease lease) {
    HeapWords from = BloomFilters.wordsOf(file);
    HeapWords to = BloomFilters.wordsOf(heap);
    long words = Objects.requireNonNull(BloomFilters.shapeOf(heap)).wordCount();
    for (long word = 0; word < words; word++) {
      to.set(word, from.get(word));
    }
    return Math.max(1, file.stats().estimatedKeys());
  }
}
