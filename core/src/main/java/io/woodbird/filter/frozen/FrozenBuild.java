package io.woodbird.filter.frozen;

import io.woodbird.BuildProgress;
import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.file.FileBuilder;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.KeyHasher;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Builds a frozen filter: gathers hashes, splits them into shards, and solves each shard. */
public final class FrozenBuild<K> {
  /*
   *   keys -> hashes -> HashSpill (by first bits, to disk if many)
   *        -> per shard, on all cores: sort, drop duplicates, solve, check every key
   *        -> in order: file or heap
   *
   * A shard has about four million keys, so a core needs about 200 MB for any number of keys. The
   * result depends only on the keys and the seed, not on the order of the keys or on the threads.
   * Checking every key takes about a tenth of the time.
   */
  private static final int HASH_CHUNK = 128;

  /** What to build; see FrozenBuilder. */
  public record Order<K>(
      KeyHasher<K> keys,
      long seed,
      FrozenGoal goal,
      int threads,
      long memoryLimit,
      @Nullable Path tempDir,
      boolean verify,
      @Nullable Consumer<BuildProgress> progress) {}

  private final Order<K> order;

  /** Prepares a build. */
  public FrozenBuild(Order<K> order) {
    this.order = order;
  }

  /** Builds on the heap. */
  public Filter<K> onHeap(Iterator<? extends K> keys) throws IOException {
    try (HashSpill spill = gather(keys)) {
      HeapSink sink = new HeapSink();
      Header header = solve(spill, sink);
      ShardTable table = new ShardTable(sink.table, (int) header.parameter(0));
      FrozenShape shape = new FrozenShape(header.layout(), (int) header.parameter(1));
      return new HeapFrozenFilter<>(
          FrozenCodec.spec(header, order.keys), header, shape, sink.join(), table);
    } catch (ClosedByInterruptException e) {
      throw cancelled();
    }
  }

  /** Builds into a file and returns its header. */
  public Header toFile(Iterator<? extends K> keys, Path path) throws IOException {
    // Creates the file first, so that a folder that can't be written to fails before the keys are
    // read.
    try (FileBuilder file = new FileBuilder(path);
        HashSpill spill = gather(keys)) {
      Header header = solve(spill, file::write);
      tell("writing", 0, FileWriter.sizeInBytes(header.dataBytes()));
      file.finish(header);
      return header;
    } catch (ClosedByInterruptException e) {
      throw cancelled();
    }
  }

  /** Says what a file with this header is. */
  public static FilterPlan built(Header header) {
    return new FilterPlan(
        header.layout() == LayoutId.FUSE ? "fuse" : "ribbon",
        header.keyCount(),
        header.promisedFpp(),
        header.dataBytes() * 8,
        FileWriter.sizeInBytes(header.dataBytes()));
  }

  private HashSpill gather(Iterator<? extends K> keys) throws IOException {
    long workers = 200L * (1 << 20) * order.threads; // About 200 MB per core, see above.
    HashSpill spill = new HashSpill(Math.max(32 << 20, order.memoryLimit - workers), order.tempDir);
    try {
      List<K> chunk = new ArrayList<>(HASH_CHUNK);
      long[] hashes = new long[HASH_CHUNK];
      long told = 0;
      while (keys.hasNext()) {
        int size =
            keys instanceof PrimitiveIterator.OfLong longs
                ? hashLongs(longs, hashes)
                : hashKeys(keys, chunk, hashes);
        spill.add(hashes, size);
        if (spill.count() - told >= 1 << 20) {
          told = spill.count();
          checkCancelled();
          tell("reading", told, -1);
        }
      }
      tell("reading", spill.count(), spill.count());
      return spill;
    } catch (Throwable e) {
      spill.close();
      throw e;
    }
  }

  /** Hashes the next keys and returns how many there were. */
  private int hashKeys(Iterator<? extends K> keys, List<K> chunk, long[] hashes) {
    chunk.clear();
    while (chunk.size() < hashes.length && keys.hasNext()) {
      chunk.add(Objects.requireNonNull(keys.next(), "key"));
    }
    order.keys.hashAll(chunk, order.seed, hashes);
    return chunk.size();
  }

  /** As {@link #hashKeys}, without an object per key. */
  private int hashLongs(PrimitiveIterator.OfLong keys, long[] hashes) {
    int size = 0;
    while (size < hashes.length && keys.hasNext()) {
      hashes[size++] = order.keys.hashLong(keys.nextLong(), order.seed);
    }
    return size;
  }

  private static void checkCancelled() {
    if (Thread.currentThread().isInterrupted()) {
      throw cancelled();
    }
  }

  private static CancellationException cancelled() {
    return new CancellationException("the building thread was interrupted");
  }

  private void tell(String phase, long done, long total) {
    if (order.progress != null) {
      order.progress.accept(new BuildProgress(phase, done, total));
    }
  }

  /** Receives the words of a filter. */
  private interface Sink {
    void write(long firstWord, long[] words) throws IOException;
  }

  private Header solve(HashSpill spill, Sink sink) throws IOException {
    checkCancelled();
    Shards shards = new Shards(spill, ShardPlan.of(order.goal, spill.count()), sink);
    shards.run();
    Header header = shards.assembly.header(order.seed, order.keys.id());
    sink.write(0, shards.assembly.table());
    return header;
  }

  /** The shards of one build, solved on several threads and written in order. */
  private final class Shards {
    private final HashSpill spill;
    private final ShardPlan plan;
    private final Sink sink;
    private final AtomicInteger nextShard = new AtomicInteger();

    // Guarded by this.
    private final ShardAssembly assembly;
    private int written;
    private long rawKeys;
    private boolean failed;

    Shards(HashSpill spill, ShardPlan plan, Sink sink) {
      this.spill = spill;
      this.plan = plan;
      this.sink = sink;
      this.assembly = new ShardAssembly(plan);
    }

    void run() throws IOException {
      int threads = Math.min(order.threads, plan.shards());
      ExecutorService pool = Executors.newFixedThreadPool(threads);
      try {
        List<Future<?>> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          workers.add(pool.submit(this::work));
        }
        for (Future<?> worker : workers) {
          worker.get();
        }
      } catch (ExecutionException e) {
        throw rethrown(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw cancelled();
      } finally {
        fail(); // Stops the workers that still run after a failure.
        pool.shutdownNow();
        awaitEnd(pool);
      }
    }

    /** Solves one shard after another; runs on a thread of the pool. */
    private @Nullable Void work() throws IOException, InterruptedException {
      try {
        ShardPlan.Worker worker = plan.new Worker(order.verify);
        HashSpill.Shard hashes = spill.new Shard(plan.shardBits());
        int shard = nextShard.getAndIncrement();
        while (shard < plan.shards() && !failed()) {
          hashes.read(shard);
          write(shard, worker.solve(hashes), hashes.raw());
          shard = nextShard.getAndIncrement();
        }
        return null;
      } catch (Throwable e) {
        fail();
        throw e;
      }
    }

    private synchronized void write(int shard, ShardSolver.Shard solved, long raw)
        throws IOException, InterruptedException {
      while (written < shard && !failed) {
        wait();
      }
      if (failed) {
        return;
      }
      long[] words = solved.words();
      sink.write(assembly.add(solved.entry(), words.length, solved.fpp()), words);
      rawKeys += raw;
      written++;
      notifyAll();
      tell("building", rawKeys, spill.count());
    }

    private synchronized boolean failed() {
      return failed;
    }

    private synchronized void fail() {
      failed = true;
      notifyAll();
    }

    private RuntimeException rethrown(@Nullable Throwable cause) throws IOException {
      if (cause instanceof IOException e) {
        throw new IOException(e.getMessage(), e);
      }
      if (cause instanceof Error e) {
        throw e;
      }
      return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
    }

    private void awaitEnd(ExecutorService pool) {
      boolean interrupted = false;
      while (!pool.isTerminated()) {
        try {
          pool.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Collects the words of a filter on the heap until their number is known. */
  private static final class HeapSink implements Sink {
    private final List<long[]> pieces = new ArrayList<>();
    private long[] table = new long[0];

    @Override
    public void write(long firstWord, long[] words) {
      if (firstWord == 0) {
        table = words;
      } else {
        pieces.add(words);
      }
    }

    HeapWords join() {
      long count = table.length;
      for (long[] piece : pieces) {
        count += piece.length;
      }
      HeapWords words = new HeapWords(count);
      System.arraycopy(table, 0, words.array(), HeapWords.index(0), table.length);
      long at = table.length;
      for (long[] piece : pieces) {
        System.arraycopy(piece, 0, words.array(), HeapWords.index(at), piece.length);
        at += piece.length;
      }
      return words;
    }
  }
}
