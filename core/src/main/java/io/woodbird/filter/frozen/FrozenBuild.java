package io.woodbird.filter.frozen;

import io.woodbird.BuildProgress;
import io.woodbird.Filter;
import io.woodbird.file.FileBuilder;
import io.woodbird.file.FileWriter;
import io.woodbird.file.Header;
import io.woodbird.file.LayoutId;
import io.woodbird.key.KeyHasher;
import io.woodbird.layout.FrozenSize;
import io.woodbird.words.HeapWords;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
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
  static final int MAX_SHARD_BITS = 20;
  private static final int HASH_CHUNK = 128;

  /** What to build; see FrozenBuilder. */
  public record Order<K>(
      KeyHasher<K> keys,
      long seed,
      boolean fuse,
      double fpp,
      double bitsPerKey,
      long maxBytes,
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
    int shardBits = Math.min(MAX_SHARD_BITS, FrozenSize.shardBits(spill.count()));
    Budget budget = budget(spill.count(), shardBits);
    Shards shards = new Shards(spill, shardBits, budget, sink);
    shards.run();
    if (order.maxBytes > 0 && FileWriter.sizeInBytes(8 * shards.nextWord) > order.maxBytes) {
      // Only if a hasher spreads keys badly over the shards; the hashers of Keys do not.
      throw tooSmall(shards.keys, FileWriter.dataWords(order.maxBytes) - shards.table.length);
    }
    sink.write(0, shards.table);
    double fpp = shards.keys == 0 ? Math.pow(2, -budget.width) : shards.fppSum / shards.keys;
    return new Header(
        budget.layout,
        order.seed,
        order.keys.id(),
        shards.keys,
        Math.min(1, fpp),
        shards.keys,
        8 * shards.nextWord,
        List.of((long) shardBits, (long) budget.width));
  }

  /**
   * The width of the filter, and the words that a shard may take.
   *
   * @param shardWords the words of a shard, Long.MAX_VALUE if there is no limit
   * @param bitsPerKey if positive, the limit instead of {@code shardWords}
   */
  private record Budget(
      LayoutId layout, int width, double fpp, long shardWords, double bitsPerKey) {
    /** Returns the words that a shard with {@code shardKeys} distinct keys may take. */
    long share(int shardKeys) {
      return bitsPerKey > 0 ? (long) Math.ceil(bitsPerKey * shardKeys / 64) : shardWords;
    }
  }

  /*
   * Shards get equal shares, because hashes are spread evenly and duplicates must not get a share.
   * Only the number of keys with duplicates is known here; without them each key gets more room.
   */
  private Budget budget(long count, int shardBits) {
    LayoutId layout = order.fuse ? LayoutId.FUSE : LayoutId.RIBBON;
    if (order.maxBytes == 0 && order.bitsPerKey == 0) {
      int width = FrozenSize.width(order.fpp);
      return new Budget(layout, width, order.fpp, Long.MAX_VALUE, 0);
    }
    long table = (long) ShardTable.ENTRY_WORDS << shardBits;
    long words =
        order.maxBytes > 0
            ? FileWriter.dataWords(order.maxBytes) - table
            : (long) Math.ceil(order.bitsPerKey * count / 64);
    int width = order.fuse ? FrozenSize.fuseWidth(count, shardBits, words) : FrozenShape.MAX_WIDTH;
    if (order.bitsPerKey >= FrozenSize.LEAST_FUSE_BITS || count == 0) {
      width = Math.max(1, width); // Rounded up: few keys need more slots per key.
    }
    double least = order.fuse ? FrozenSize.LEAST_FUSE_BITS : FrozenSize.LEAST_RIBBON_BITS;
    if (words < 0 || width < 1 || (count > 0 && words * 64.0 / count < least)) {
      throw tooSmall(count, words);
    }
    return new Budget(layout, width, order.fpp, words >> shardBits, order.bitsPerKey);
  }

  private IllegalArgumentException tooSmall(long count, long words) {
    double bits = count == 0 ? 0 : Math.max(0, words) * 64.0 / count;
    return new IllegalArgumentException(
        order.maxBytes > 0
            ? String.format(
                Locale.ROOT,
                "%,d keys do not fit into maxBytes %,d, which leaves %.3f bits a key",
                count,
                order.maxBytes,
                bits)
            : String.format(
                Locale.ROOT, "%,d keys can't be kept in %s bits a key", count, order.bitsPerKey));
  }

  /** The shards of one build, solved on several threads and written in order. */
  private final class Shards {
    private final HashSpill spill;
    private final int shardBits;
    private final Budget budget;
    private final Sink sink;
    private final long[] table;
    private final AtomicInteger nextShard = new AtomicInteger();

    // Guarded by this.
    private int written;
    private long nextWord;
    private long keys;
    private long rawKeys;
    private double fppSum;
    private boolean failed;

    Shards(HashSpill spill, int shardBits, Budget budget, Sink sink) {
      this.spill = spill;
      this.shardBits = shardBits;
      this.budget = budget;
      this.sink = sink;
      this.table = new long[ShardTable.ENTRY_WORDS << shardBits];
      this.nextWord = table.length;
    }

    void run() throws IOException {
      int threads = Math.min(order.threads, 1 << shardBits);
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
        ShardSolver solver =
            budget.layout == LayoutId.RIBBON
                ? new RibbonSolver(budget.fpp, shardBits)
                : new FuseSolver(budget.width, shardBits);
        HashSpill.Shard hashes = spill.new Shard(shardBits);
        int shard = nextShard.getAndIncrement();
        while (shard < 1 << shardBits && !failed()) {
          hashes.read(shard);
          int count = hashes.count();
          ShardSolver.Shard solved = solver.solve(hashes.hashes(), count, budget.share(count));
          if (order.verify) {
            verify(solved, hashes);
          }
          write(shard, solved, hashes.raw());
          shard = nextShard.getAndIncrement();
        }
        return null;
      } catch (Throwable e) {
        fail();
        throw e;
      }
    }

    /** Checks that a shard has all its keys. */
    private void verify(ShardSolver.Shard solved, HashSpill.Shard hashes) {
      FrozenKernel kernel =
          new FrozenShape(budget.layout, budget.width)
              .heapKernel(
                  HeapWords.of(solved.words()), ShardTable.ofOne(solved.entry(), shardBits));
      for (int i = 0; i < hashes.count(); i++) {
        if (kernel.lacks(hashes.hashes()[i])) {
          throw new IllegalStateException(
              "a key is missing from the filter just built; the memory of this machine may be faulty");
        }
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
      sink.write(nextWord, solved.words());
      long[] entry = solved.entry();
      entry[ShardTable.START] = nextWord;
      System.arraycopy(entry, 0, table, shard * ShardTable.ENTRY_WORDS, entry.length);
      nextWord += solved.words().length;
      keys += entry[ShardTable.KEYS];
      fppSum += entry[ShardTable.KEYS] * solved.fpp();
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
