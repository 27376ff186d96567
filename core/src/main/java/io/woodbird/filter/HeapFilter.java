package io.woodbird.filter;

import io.woodbird.FilterPlan;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MutableFilter;
import io.woodbird.file.FileWriter;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** What filters on the heap that take keys share: puts of many keys, and the shape for unions. */
public abstract class HeapFilter<K> extends HashedFilter<K> implements MutableFilter<K> {
  /** 2^40 keys: no filter on the heap holds more. */
  protected static final long MAX_KEYS = 1L << 40;

  protected HeapFilter(FilterSpec<K> spec) {
    super(spec);
  }

  /** Refuses a filter that would fill the heap part by part before it failed. */
  protected static void requireRoom(FilterSpec<?> spec, FilterPlan plan) {
    long heap = Runtime.getRuntime().maxMemory();
    if (plan.bits() / 8 > heap) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "%,d keys at fpp %s need %,d bytes, and the heap has at most %,d",
              spec.expectedKeys(),
              spec.promisedFpp(),
              plan.bits() / 8,
              heap));
    }
  }

  /** The refusal of a number of keys for which there is no layout. */
  protected static IllegalArgumentException tooMany(long keys, double fpp) {
    return new IllegalArgumentException(
        String.format(
            Locale.ROOT, "%,d keys at fpp %s are more than a filter on the heap holds", keys, fpp));
  }

  /** Returns the plan of a filter with {@code bits} bits of data. */
  protected static FilterPlan plan(String family, long keys, double fpp, long bits) {
    return new FilterPlan(family, keys, fpp, bits, FileWriter.sizeInBytes(bits / 8));
  }

  @Override
  public abstract Image image();

  @Override
  public final long putAll(Collection<? extends K> all) {
    return putChunks(all, this::putHashes);
  }

  @Override
  public final int putHashes(long[] hashes, int count) {
    if (count < 0 || count > hashes.length) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "count must be from 0 to the length of hashes (%d): %d",
              hashes.length,
              count));
    }
    int fresh = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        fresh += putHash(hashes[i]) ? 1 : 0;
      }
    }
    return fresh;
  }

  @Override
  public final long sizeInBytes() {
    return FileWriter.sizeInBytes(image().header().dataBytes());
  }

  /** Refuses another filter that does not give the same place to the same key. */
  protected final void requireSameShape(Object other) {
    Objects.requireNonNull(other, "other");
    if (!(other instanceof HeapFilter<?> heap) || !sameShape(heap)) {
      throw new IncompatibleFilterException(
          "only filters of one layout, size, seed and key encoding can be united\n  this:  "
              + identity()
              + "\n  other: "
              + (other instanceof HeapFilter<?> heap ? heap.identity() : other));
    }
  }

  private boolean sameShape(HeapFilter<?> other) {
    return image().header().layout() == other.image().header().layout()
        && place().equals(other.place())
        && spec().seed() == other.spec().seed()
        && spec().keys().id().equals(other.spec().keys().id());
  }

  /** What decides the place of a key, beside layout, seed and key encoding. */
  protected List<Long> place() {
    return image().header().parameters();
  }

  private String identity() {
    return String.format(
        Locale.ROOT,
        "%s, %,d bits, seed %d, keys %s",
        stats().layout(),
        stats().bits(),
        spec().seed(),
        spec().keys().id());
  }
}
