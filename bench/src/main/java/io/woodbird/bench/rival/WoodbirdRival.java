package io.woodbird.bench.rival;

import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.OpenFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;

/** Woodbird as a user calls it: on the heap or from a file, key by key or in batches. */
final class WoodbirdRival {
  private WoodbirdRival() {}

  static <K> Place<K> onHeap(KeyHasher<K> keys, long n, double fpp) {
    return onHeap(keys, Woodbird.bloom(keys, n).fpp(fpp).build());
  }

  static <K> Place<K> classic(KeyHasher<K> keys, long n, double fpp) {
    return onHeap(keys, Woodbird.bloom(keys, n).fpp(fpp).classic().build());
  }

  static <K> Place<K> onHeap(KeyHasher<K> keys, MutableFilter<K> filter) {
    return new Place<>(keys, filter, false);
  }

  static <K> Place<K> window(KeyHasher<K> keys, long n, double fpp) {
    return onHeap(keys, Woodbird.window(keys, n, Duration.ofDays(1)).fpp(fpp).build());
  }

  static <K> Place<K> onDisk(KeyHasher<K> keys, long n, double fpp) {
    return new Place<>(keys, Woodbird.bloom(keys, n).fpp(fpp).build(), true);
  }

  /** Where a filter lives. */
  static final class Place<K> {
    private final KeyHasher<K> keys;
    private final boolean onDisk;
    private final MutableFilter<K> heap;
    private Path file;
    private OpenFilter<K> mapped;

    Place(KeyHasher<K> keys, MutableFilter<K> heap, boolean onDisk) {
      this.keys = keys;
      this.heap = heap;
      this.onDisk = onDisk;
    }

    /** The filter to put keys into. */
    MutableFilter<K> heap() {
      return heap;
    }

    /** The filter to ask, once all keys are put. */
    Filter<K> finish() {
      if (!onDisk) {
        return heap;
      }
      try {
        file = Files.createTempFile("woodbird-bench", ".wbird");
        file.toFile().deleteOnExit(); // If a run is stopped before close.
        heap.save(file);
        mapped = Woodbird.open(file, keys);
        mapped.verify(); // Reads every page, so that questions find them warm.
        return mapped;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    long bits() {
      return heap.stats().bits();
    }

    void close() {
      if (mapped == null) {
        return;
      }
      mapped.close();
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** What the four forms share. */
  private abstract static class Form<K, A> implements Rival<A> {
    private final Place<K> place;
    final MutableFilter<K> heap;
    Filter<K> asked;

    Form(Place<K> place) {
      this.place = place;
      this.heap = place.heap();
      this.asked = heap;
    }

    @Override
    public final void finish() {
      asked = place.finish();
    }

    @Override
    public final long bits() {
      return place.bits();
    }

    @Override
    public final void close() {
      place.close();
    }
  }

  /** Longs one by one. */
  static class Longs extends Form<Long, long[]> implements LongRival {
    Longs(Place<Long> place) {
      super(place);
    }

    @Override
    public void put(long key) {
      heap.putLong(key);
    }

    @Override
    public boolean mightContain(long key) {
      return asked.mightContainLong(key);
    }
  }

  /** Strings one by one. */
  static class Strings extends Form<String, String[]> implements StringRival {
    Strings(Place<String> place) {
      super(place);
    }

    @Override
    public void put(String key) {
      heap.put(key);
    }

    @Override
    public boolean mightContain(String key) {
      return asked.mightContain(key);
    }
  }

  /** Longs in batches, at the level of hashes: nothing is allocated per batch. */
  static final class LongBatches extends Form<Long, long[]> {
    private final long[] hashes = new long[CHUNK];
    private final int[] selected = new int[CHUNK];

    LongBatches(Place<Long> place) {
      super(place);
    }

    @Override
    public void putAll(long[] keys, int from, int to) {
      for (int start = from; start < to; start += CHUNK) {
        int size = Math.min(CHUNK, to - start);
        for (int i = 0; i < size; i++) {
          hashes[i] = heap.hashOfLong(keys[start + i]);
        }
        heap.putHashes(hashes, size);
      }
    }

    @Override
    public int count(long[] keys, int from, int to) {
      int count = 0;
      for (int start = from; start < to; start += CHUNK) {
        int size = Math.min(CHUNK, to - start);
        for (int i = 0; i < size; i++) {
          hashes[i] = asked.hashOfLong(keys[start + i]);
        }
        count += asked.candidates(hashes, size, selected);
      }
      return count;
    }
  }

  /** Strings in batches, as a list of keys. */
  static final class StringBatches extends Form<String, String[]> {
    StringBatches(Place<String> place) {
      super(place);
    }

    @Override
    public void putAll(String[] keys, int from, int to) {
      heap.putAll(Arrays.asList(keys).subList(from, to));
    }

    @Override
    public int count(String[] keys, int from, int to) {
      int count = 0;
      for (int start = from; start < to; start += CHUNK) {
        int end = Math.min(start + CHUNK, to);
        count += asked.candidates(Arrays.asList(keys).subList(start, end)).size();
      }
      return count;
    }
  }
}
