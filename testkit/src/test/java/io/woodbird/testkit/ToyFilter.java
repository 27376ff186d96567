package io.woodbird.testkit;

import io.woodbird.DeletableFilter;
import io.woodbird.FilterStats;
import io.woodbird.key.KeyHasher;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The filter that can't be wrong: a map of all hashes and how often each was put, behind one lock.
 * It passes every contract, so that what is wrong with a subclass is all that is wrong with it.
 *
 * @param <K> the type of the keys
 */
class ToyFilter<K> implements DeletableFilter<K> {
  final KeyHasher<K> keys;
  final long expectedKeys;
  final double fpp;
  final long seed;
  final Map<Long, Integer> counts = new TreeMap<>();

  ToyFilter(KeyHasher<K> keys, long expectedKeys, double fpp, long seed) {
    this.keys = keys;
    this.expectedKeys = expectedKeys;
    this.fpp = fpp;
    this.seed = seed;
  }

  @Override
  public long hashOf(K key) {
    return keys.hash(key, seed);
  }

  @Override
  public synchronized boolean mightContainHash(long hash) {
    return counts.containsKey(hash);
  }

  @Override
  public synchronized boolean putHash(long hash) {
    return counts.merge(hash, 1, Integer::sum) == 1;
  }

  @Override
  public long putAll(Collection<? extends K> all) {
    all.forEach(Objects::requireNonNull);
    return all.stream().filter(this::put).count();
  }

  @Override
  public synchronized boolean removeHash(long hash) {
    if (!counts.containsKey(hash)) {
      return false;
    }
    counts.computeIfPresent(hash, (key, count) -> count == 1 ? null : count - 1);
    return true;
  }

  @Override
  public List<K> candidates(Collection<? extends K> all) {
    List<K> found = new ArrayList<>();
    for (K key : all) {
      if (mightContain(key)) {
        found.add(key);
      }
    }
    return found;
  }

  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    if (count < 0 || count > hashes.length || count > selected.length) {
      throw new IllegalArgumentException("count out of range: " + count);
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (mightContainHash(hashes[i])) {
        selected[kept++] = i;
      }
    }
    return kept;
  }

  @Override
  public synchronized FilterStats stats() {
    double fill = Math.min(1, counts.size() / (double) expectedKeys);
    return new FilterStats(
        "toy", 64 * expectedKeys, expectedKeys, counts.size(), fill, fpp, 0, List.of());
  }

  /** Like a Bloom filter, it does not store how often a key was put. */
  @Override
  public synchronized long sizeInBytes() {
    return 8 + 8L * counts.size();
  }

  @Override
  public void save(Path path) throws IOException {
    Objects.requireNonNull(path);
    if (Files.isDirectory(path)) {
      throw new IOException("a directory: " + path);
    }
    try (OutputStream out = Files.newOutputStream(path)) {
      writeTo(out);
    }
  }

  @Override
  public synchronized void writeTo(OutputStream out) throws IOException {
    Objects.requireNonNull(out);
    DataOutputStream data = new DataOutputStream(out);
    data.writeLong(seed);
    for (long hash : counts.keySet()) {
      data.writeLong(hash);
    }
    data.flush();
  }

  @Override
  public String toString() {
    return stats().toString();
  }
}
