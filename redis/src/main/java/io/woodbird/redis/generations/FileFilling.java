package io.woodbird.redis.generations;

import io.woodbird.BloomFilter;
import io.woodbird.Filter;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.words.HeapWords;
import java.util.function.Supplier;

/** All bits of a filter of the same parameters. */
public record FileFilling<K>(Filter<K> file) implements Filling<K> {
  @Override
  public long fill(long number, Supplier<BloomFilter<K>> heap, Lease lease) {
    HeapWords from = BloomFilters.wordsOf(file);
    HeapWords to = BloomFilters.wordsOf(heap.get());
    for (long word = 0; word < to.count(); word++) {
      to.set(word, from.get(word));
    }
    return Math.max(1, file.stats().estimatedKeys());
  }
}
