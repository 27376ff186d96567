package io.woodbird.redis.generations;

import io.woodbird.BloomFilter;
import io.woodbird.key.KeyHasher;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** All keys of a source. */
public record SourceFilling<K>(KeyHasher<K> keys, Supplier<? extends Iterator<? extends K>> source)
    implements Filling<K> {
  private static final int CHUNK = 1000;

  @Override
  public long fill(long number, Supplier<BloomFilter<K>> heap, Lease lease) {
    BloomFilter<K> filter = heap.get();
    Iterator<? extends K> all = source.get();
    long count = 0;
    try {
      List<K> chunk = new ArrayList<>();
      while (all.hasNext()) {
        chunk.add(Objects.requireNonNull(all.next(), "key"));
        count++;
        if (chunk.size() == CHUNK || !all.hasNext()) {
          filter.putAll(chunk);
          chunk.clear();
          if (!lease.keep()) {
            return -1;
          }
        }
      }
    } finally {
      close(all);
    }
    return count;
  }

  private static void close(Object source) {
    if (source instanceof AutoCloseable closeable) {
      try {
        closeable.close();
      } catch (Exception e) {
        throw new IllegalStateException("the source can't be closed", e);
      }
    }
  }
}
