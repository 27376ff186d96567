package io.woodbird.filter.frozen;

import io.woodbird.BuildProgress;
import io.woodbird.Filter;
import io.woodbird.file.FileBuilder;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.filter.FilterSpec;
import io.woodbird.key.KeyHasher;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of all builds of frozen filters, and the steps that they share; see FrozenBuilder.
 *
 * @param threads fewer than given here if the memory is not enough for them
 * @param leastShardBits 0 except in tests: only millions of keys would make several shards
 */
public record BuildSettings<K>(
    KeyHasher<K> keys,
    long seed,
    int threads,
    long memoryLimit,
    @Nullable Path tempDir,
    boolean verify,
    @Nullable Consumer<BuildProgress> progress,
    int leastShardBits) {
  static final int HASH_CHUNK = 128;

  /** What each thread needs, see FrozenBuild. */
  private static final long WORKER_BYTES = 200L << 20;

  private static final long LEAST_SPILL_BYTES = 32L << 20;

  public BuildSettings {
    long most = Math.max(1, (memoryLimit - LEAST_SPILL_BYTES) / WORKER_BYTES);
    threads = (int) Math.min(threads, most);
  }

  /** Returns the bits of a shard number. */
  int shardBits(int needed) {
    return Math.min(ShardPlan.MAX_SHARD_BITS, Math.max(leastShardBits, needed));
  }

  /** Returns the memory for hashes: what the workers leave. */
  long spillMemory() {
    return Math.max(LEAST_SPILL_BYTES, memoryLimit - threads * WORKER_BYTES);
  }

  /** Solves the shards of a filter, writes their words to a sink, and returns the header. */
  interface Solving {
    Header solve(ShardPool.Sink sink) throws IOException;
  }

  Filter<K> onHeap(Solving solving) throws IOException {
    HeapSink sink = new HeapSink();
    Header header;
    try {
      header = solving.solve(sink);
    } catch (ClosedByInterruptException e) {
      throw ShardPool.cancelled();
    }
    ShardTable table = new ShardTable(sink.table(), (int) header.parameter(0));
    return FrozenCodec.onHeap(
        FilterSpec.of(header, keys), header, FrozenShape.of(header), sink.join(), table);
  }

  /** Builds into a file and returns its header. */
  Header toFile(Path path, Solving solving) throws IOException {
    // Creates the file first, so that a folder that can't be written to fails before the keys are
    // read.
    try (FileBuilder file = new FileBuilder(path)) {
      Header header = solving.solve(file::write);
      tell("writing", 0, FileWriter.sizeInBytes(header.dataBytes()));
      file.finish(header);
      return header;
    } catch (ClosedByInterruptException e) {
      throw ShardPool.cancelled();
    }
  }

  /** Makes a spill that may take a share of the memory for hashes. */
  HashSpill spill(int shares) {
    return new HashSpill(spillMemory() / shares, tempDir);
  }

  /** Hashes all keys into a spill that may take a share of the memory for hashes. */
  HashSpill gather(Iterator<? extends K> source, int shares) throws IOException {
    HashSpill spill = spill(shares);
    try {
      long[] hashes = new long[HASH_CHUNK];
      long told = 0;
      while (source.hasNext()) {
        int size =
            source instanceof PrimitiveIterator.OfLong longs
                ? hashLongs(longs, hashes)
                : hashKeys(source, hashes);
        spill.add(hashes, size);
        told = tellOfReading(spill, told);
      }
      tell("reading", spill.count(), spill.count());
      return spill;
    } catch (Throwable e) {
      spill.close();
      throw e;
    }
  }

  /** Tells how many keys were read, about once per million; returns what was told last. */
  long tellOfReading(HashSpill spill, long told) {
    if (spill.count() - told < 1 << 20) {
      return told;
    }
    checkCancelled();
    tell("reading", spill.count(), -1);
    return spill.count();
  }

  /**
   * Hashes the next keys and returns how many there were. Each at once: the source may fill one
   * buffer again and again.
   */
  private int hashKeys(Iterator<? extends K> source, long[] hashes) {
    int size = 0;
    while (size < hashes.length && source.hasNext()) {
      hashes[size++] = keys.hash(Objects.requireNonNull(source.next(), "key"), seed);
    }
    return size;
  }

  /** As {@link #hashKeys}, without an object per key. */
  private int hashLongs(PrimitiveIterator.OfLong source, long[] hashes) {
    int size = 0;
    while (size < hashes.length && source.hasNext()) {
      hashes[size++] = keys.hashLong(source.nextLong(), seed);
    }
    return size;
  }

  /** Solves all shards, each thread with a worker of its own, and writes them and the table. */
  void solve(
      ShardAssembly shards,
      int count,
      long keyCount,
      ShardPool.Sink sink,
      Supplier<ShardPool.Worker> workers)
      throws IOException {
    ShardPool pool = new ShardPool(shards, sink, done -> tell("building", done, keyCount));
    pool.run(threads, count, workers);
    sink.write(0, shards.table());
  }

  /** Returns one whose key has this hash, or null: some sources can't be read a second time. */
  <T> @Nullable T find(long hash, Iterable<? extends T> all, Function<? super T, ? extends K> key) {
    try {
      for (T one : all) {
        if (keys.hash(key.apply(one), seed) == hash) {
          return one;
        }
      }
    } catch (IllegalStateException e) {
      return null; // The iterator of a stream.
    }
    return null;
  }

  static void checkCancelled() {
    if (Thread.currentThread().isInterrupted()) {
      throw ShardPool.cancelled();
    }
  }

  void tell(String phase, long done, long total) {
    if (progress != null) {
      progress.accept(new BuildProgress(phase, done, total));
    }
  }

  /** Returns the exception for a filter that lacks a key. */
  static IllegalStateException faulty() {
    return new IllegalStateException(
        "a key is missing from the filter just built; the memory of this machine may be faulty");
  }
}
