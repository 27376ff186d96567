package io.woodbird.filter.frozen;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Solves the shards of one build on several threads and writes them in order. */
final class ShardPool {
  /** Receives the words of a filter. */
  interface Sink {
    void write(long firstWord, long[] words) throws IOException;
  }

  /** Solves shards, one after another, on one thread. */
  interface Worker {
    Solved solve(int shard) throws IOException;
  }

  /**
   * A shard that was solved and checked: its parts, its expected fpp, and its keys, repeated ones
   * included.
   */
  record Solved(List<ShardSolver.Shard> ribbons, double fpp, long raw) {}

  private final Sink sink;
  private final LongConsumer progress;
  private final AtomicInteger nextShard = new AtomicInteger();

  /** Guards the following; held while a shard is written. */
  private final ReentrantLock lock = new ReentrantLock();

  private final Condition changed = lock.newCondition();
  private final ShardAssembly shards;
  private int written;
  private long rawKeys;
  private volatile boolean failed;

  /** Prepares a build. The progress is told how many keys were solved, repeated ones included. */
  ShardPool(ShardAssembly shards, Sink sink, LongConsumer progress) {
    this.shards = shards;
    this.sink = sink;
    this.progress = progress;
  }

  /** Solves and writes all shards, but not the table. Each thread gets a worker of its own. */
  void run(int mostThreads, int count, Supplier<Worker> workers) throws IOException {
    int threads = Math.min(mostThreads, count);
    if (threads == 1) {
      runHere(workers, count);
      return;
    }
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        running.add(pool.submit(() -> work(workers, count)));
      }
      for (Future<?> worker : running) {
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

  /** To start a thread can take longer than to solve ten thousand keys. */
  private void runHere(Supplier<Worker> workers, int count) throws IOException {
    try {
      work(workers, count);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    BuildSettings.checkCancelled();
  }

  static CancellationException cancelled() {
    return new CancellationException("the building thread was interrupted");
  }

  /** Solves one shard after another. */
  private @Nullable Void work(Supplier<Worker> workers, int count)
      throws IOException, InterruptedException {
    try {
      Worker worker = workers.get();
      int shard = nextShard.getAndIncrement();
      while (shard < count && !failed) {
        BuildSettings.checkCancelled();
        write(shard, worker.solve(shard));
        shard = nextShard.getAndIncrement();
      }
      return null;
    } catch (Throwable e) {
      fail();
      throw e;
    }
  }

  private void write(int shard, Solved solved) throws IOException, InterruptedException {
    lock.lock();
    try {
      while (written < shard && !failed) {
        changed.await();
      }
      if (failed) {
        return;
      }
      for (ShardSolver.Shard ribbon : solved.ribbons) {
        long[] words = ribbon.words();
        sink.write(shards.add(ribbon.entry(), words.length, solved.fpp), words);
      }
      rawKeys += solved.raw;
      written++;
      changed.signalAll();
      progress.accept(rawKeys);
    } finally {
      lock.unlock();
    }
  }

  private void fail() {
    failed = true; // At once: a worker sees it before it has the lock.
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static RuntimeException rethrown(@Nullable Throwable cause) throws IOException {
    if (cause instanceof IOException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (cause instanceof Error e) {
      throw e;
    }
    return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
  }

  private static void awaitEnd(ExecutorService pool) {
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
