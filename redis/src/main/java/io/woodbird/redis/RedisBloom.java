package io.woodbird.redis;

import io.woodbird.BloomFilter;
import io.woodbird.CorruptFilterException;
import io.woodbird.Filter;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.Woodbird;
import io.woodbird.filter.FilterSpec;
import io.woodbird.filter.bloom.BloomFilters;
import io.woodbird.filter.bloom.BloomShape;
import io.woodbird.key.KeyHasher;
import io.woodbird.redis.generations.Filling;
import io.woodbird.redis.generations.GenerationSteps;
import io.woodbird.redis.generations.Rebuild;
import io.woodbird.redis.layout.GenerationSpec;
import io.woodbird.redis.proof.Shared;
import io.woodbird.words.HeapWords;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A blocked Bloom filter whose words live in Redis. */
final class RedisBloom<K> extends RedisWords<K> implements RedisBloomFilter<K> {
  RedisBloom(Shared shared, KeyHasher<K> keys, @Nullable Duration nearLag) {
    super(shared, keys, nearLag);
  }

  @Override
  public void load(Iterator<? extends K> all) {
    requireOpen();
    GenerationSpec generation = shared.current().generation;
    BloomFilter<K> heap = BloomFilters.empty(spec(generation), generation.shape(), null);
    putAll(heap, all);
    add(heap);
  }

  /** Puts keys on the heap; returns how many. */
  private static <K> long putAll(BloomFilter<K> heap, Iterator<? extends K> all) {
    long count = 0;
    List<K> chunk = new ArrayList<>();
    while (all.hasNext()) {
      chunk.add(Objects.requireNonNull(all.next(), "key"));
      count++;
      if (chunk.size() == CHUNK || !all.hasNext()) {
        heap.putAll(chunk);
        chunk.clear();
      }
    }
    return count;
  }

  @Override
  public void load(Path path) throws IOException {
    requireOpen();
    add(read(path));
  }

  private Filter<K> read(Path path) throws IOException {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), 1 << 16)) {
      Filter<K> read = Woodbird.readFrom(in, keys);
      if (in.read() >= 0) { // Such as a second filter, whose keys would be denied.
        throw new CorruptFilterException(path + ": it goes on after the end of the filter");
      }
      return read;
    }
  }

  @Override
  public void union(BloomFilter<K> other) {
    Objects.requireNonNull(other, "other");
    requireOpen();
    add(other);
  }

  private void add(Filter<K> heap) {
    requireSame(shared.current().generation, heap);
    loads.addToAll(BloomFilters.wordsOf(heap), live -> requireSame(live.generation, heap));
    if (near != null) {
      near.readAnew();
    }
  }

  private void requireSame(GenerationSpec generation, Filter<K> heap) {
    BloomShape shape = BloomFilters.shapeOf(heap);
    FilterSpec<K> spec = shape == null ? null : BloomFilters.specOf(heap);
    if (spec == null
        || !generation.shape().equals(shape)
        || spec.seed() != seed
        || !spec.keys().id().equals(generation.keyId())) {
      throw new IncompatibleFilterException(
          "only filters of one layout, size, seed and key encoding can be united\n  in Redis: "
              + generation.describe()
              + "\n  other:    "
              + (spec == null || shape == null
                  ? heap
                  : GenerationSpec.describe(
                      spec.expectedKeys(),
                      spec.promisedFpp(),
                      shape,
                      spec.seed(),
                      spec.keys().id())));
    }
  }

  @Override
  public OptionalLong rebuild(
      Supplier<? extends Iterator<? extends K>> source, RedisRebuild options) {
    Objects.requireNonNull(source, "source");
    return built(
        (generation, heap) -> {
          BloomFilter<K> filter = heap.get();
          Iterator<? extends K> all = source.get();
          try {
            return putAll(filter, all);
          } finally {
            if (all instanceof AutoCloseable closeable) {
              closeable.close();
            }
          }
        },
        options);
  }

  @Override
  public OptionalLong rebuild(Path path, RedisRebuild options) throws IOException {
    requireOpen();
    Filter<K> file = read(path);
    requireSame(shared.current().generation, file);
    return built(
        (generation, heap) -> {
          requireSame(generation, file); // The filter may have another size by now.
          HeapWords from = BloomFilters.wordsOf(file);
          HeapWords to = BloomFilters.wordsOf(heap.get());
          for (long word = 0; word < to.count(); word++) {
            to.set(word, from.get(word));
          }
          return Math.max(1, file.stats().estimatedKeys());
        },
        options);
  }

  private OptionalLong built(Filling<K> filling, RedisRebuild options) {
    try {
      return rebuild(filling, options);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  OptionalLong rebuild(Filling<K> filling, RedisRebuild options) throws Exception {
    Objects.requireNonNull(options, "options");
    requireOpen();
    return new Rebuild<>(shared, loads, keys, options).run(filling);
  }

  @Override
  public void onProgress(LongConsumer bytes) {
    loads.progress = Objects.requireNonNull(bytes, "bytes");
  }

  @Override
  public boolean rollBack() {
    requireOpen();
    return new GenerationSteps(shared).rollBack();
  }
}
