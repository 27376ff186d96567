package io.woodbird.filter;

import io.woodbird.Filter;
import io.woodbird.file.DataSource;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BiConsumer;

/** What all filters share: keys become hashes, batches are asked in chunks, files are written. */
public abstract class HashedFilter<K> implements Filter<K> {
  /** Keys per chunk: enough to overlap all misses a core can have in flight, and still in L1. */
  protected static final int CHUNK = 128;

  private final FilterSpec<K> spec;
  private final KeyHasher<K> keys;
  private final long seed;

  protected HashedFilter(FilterSpec<K> spec) {
    this.spec = spec;
    this.keys = spec.keys();
    this.seed = spec.seed();
  }

  /** What the filter was made for. */
  public final FilterSpec<K> spec() {
    return spec;
  }

  @Override
  public final long hashOf(K key) {
    return keys.hash(key, seed);
  }

  @Override
  public final long hashOfLong(long key) {
    return keys.hashLong(key, seed);
  }

  @Override
  public final boolean mightContain(K key) {
    return mightContainHash(keys.hash(key, seed));
  }

  @Override
  public final boolean mightContainLong(long key) {
    return mightContainHash(keys.hashLong(key, seed));
  }

  @Override
  public final List<K> candidates(Collection<? extends K> all) {
    List<K> found = new ArrayList<>();
    int[] selected = new int[CHUNK];
    forEachChunk(
        all,
        (chunk, hashes) -> {
          int kept = candidates(hashes, chunk.size(), selected);
          for (int i = 0; i < kept; i++) {
            found.add(chunk.get(selected[i]));
          }
        });
    return found;
  }

  /** Asks about a chunk after its cache lines were touched, so that the misses overlap. */
  @Override
  public int candidates(long[] hashes, int count, int[] selected) {
    checkBatch(hashes, count, selected);
    int kept = 0;
    for (int from = 0; from < count; from += CHUNK) {
      int to = Math.min(count, from + CHUNK);
      touch(hashes, from, to);
      for (int i = from; i < to; i++) {
        selected[kept] = i;
        kept += mightContainHash(hashes[i]) ? 1 : 0;
      }
    }
    return kept;
  }

  /** Reads a word of each hash, to bring its cache line in; does nothing where that is no help. */
  protected void touch(long[] hashes, int from, int to) {}

  /** Hashes the keys of a collection, and passes on at most {@link #CHUNK} keys and hashes. */
  protected final void forEachChunk(
      Collection<? extends K> all, BiConsumer<List<K>, long[]> consumer) {
    List<K> chunk = new ArrayList<>(CHUNK);
    long[] hashes = new long[CHUNK];
    Iterator<? extends K> rest = all.iterator();
    while (rest.hasNext()) {
      chunk.clear();
      while (chunk.size() < CHUNK && rest.hasNext()) {
        chunk.add(Objects.requireNonNull(rest.next(), "key"));
      }
      keys.hashAll(chunk, seed, hashes);
      consumer.accept(chunk, hashes);
    }
  }

  /** Puts the hashes of a chunk, and returns how many of the keys were certainly new. */
  protected interface ChunkPut {
    int put(long[] hashes, int count);
  }

  /** Puts all keys or, if one is null, none; returns how many were certainly new. */
  protected final long putChunks(Collection<? extends K> all, ChunkPut put) {
    requireKeys(all);
    long[] fresh = {0};
    forEachChunk(all, (chunk, hashes) -> fresh[0] += put.put(hashes, chunk.size()));
    return fresh[0];
  }

  /** Refuses a collection with a null in it, before any of its keys has done anything. */
  private static void requireKeys(Collection<?> all) {
    for (Object key : all) {
      Objects.requireNonNull(key, "key");
    }
  }

  /** Checks the arguments of a batch. */
  protected static void checkBatch(long[] hashes, int count, int[] selected) {
    if (count < 0 || count > hashes.length || count > selected.length) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "count must be from 0 to the length of hashes (%d) and of selected (%d): %d",
              hashes.length,
              selected.length,
              count));
    }
  }

  /** Keeps loads that only warm the cache from being optimised away. */
  protected static void use(long touched) {
    if (touched == 0x5eed_ab1e_c0de_f00dL) { // As good as never, and harmless.
      Thread.onSpinWait();
    }
  }

  /** What a file holds: a header, its data, which may be read once, and perhaps sections. */
  public record Image(Header header, DataSource data, List<byte[]> sections) {
    public Image(Header header, DataSource data) {
      this(header, data, List.of());
    }
  }

  /** The filter as a file holds it, with every key whose put has returned. */
  public abstract Image image() throws IOException;

  @Override
  public void save(Path path) throws IOException {
    Image image = image();
    FileWriter.save(image.header, image.data, image.sections, path, () -> {});
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    Image image = image();
    FileWriter.writeTo(image.header, image.data, image.sections, out);
  }

  /** Says layout, bits, keys and fpp. For logs and debuggers, so it never throws. */
  @Override
  public final String toString() {
    try {
      return stats().toString();
    } catch (IllegalStateException e) { // It is closed.
      return String.valueOf(e.getMessage());
    }
  }
}
