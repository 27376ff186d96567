package io.woodbird.guard;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The clock and the threads of {@link Confirmations}; a simulation has its own. */
interface FollowThread {
  long nanoTime();

  /**
   * Starts the thread that follows. Called once at most.
   *
   * @param step called again and again; returns for how many nanoseconds to wait then, unless the
   *     thread is woken, or a negative number at the end
   */
  void start(LongSupplier step);

  /** Ends the present or the next wait between two steps. */
  void wake();

  /** Interrupts the thread that follows. */
  void interrupt();

  /** Completes a future with null after some time, unless it is complete by then. */
  void completeLater(CompletableFuture<?> future, long nanos);

  /** Waits for a future in the thread that calls. */
  <T> T await(CompletableFuture<T> future) throws InterruptedException, ExecutionException;

  /**
   * Completes what asked without waiting. What comes next is the caller's own code, which may wait
   * for another answer.
   */
  Executor answers();

  static FollowThread system(String name) {
    return new SystemFollowThread(name);
  }

  /** The real ones. */
  final class SystemFollowThread implements FollowThread {
    /*
     * The usual executor of a CompletableFuture starts a thread for each task on two cores. A
     * ForkJoinPool starts one only for a caller that waits for a future in one of its threads.
     *
     * In Java 17 such a pool counts one thread too few each time that all its threads were there
     * and one of them ends, as it was idle. After 32,768 times it runs nothing any more, and every
     * question would wait for ever (JDK-8330017; cured in 17.0.17). So a pool that was idle for so
     * long that a thread may have ended is not used again.
     */
    private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(10);
    private static final int MOST_THREADS = 32_767; // As many as a ForkJoinPool allows.
    private static final long AFTER_ERROR_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String name;
    private final long idleMillis;
    private final @Nullable ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private volatile ForkJoinPool answers;
    private volatile long answeredNanos = System.nanoTime();
    private volatile Thread thread;

    SystemFollowThread(String name) {
      this(name, IDLE_MILLIS);
    }

    /** For tests: with threads that end sooner. */
    SystemFollowThread(String name, long idleMillis) {
      this.name = name;
      this.idleMillis = idleMillis;
      this.thread = daemon(() -> {});
      this.answers = pool();
    }

    private ForkJoinPool pool() {
      int threads = Math.max(2, Runtime.getRuntime().availableProcessors());
      return new ForkJoinPool(
          threads,
          this::answering,
          null,
          true,
          0,
          MOST_THREADS,
          threads,
          pool -> true,
          idleMillis,
          TimeUnit.MILLISECONDS);
    }

    private ForkJoinWorkerThread answering(ForkJoinPool pool) {
      ForkJoinWorkerThread made = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
      made.setName("woodbird-answer-" + name);
      made.setContextClassLoader(loader);
      return made;
    }

    private Thread daemon(Runnable task) {
      Thread made = new Thread(task, "woodbird-follow-" + name);
      made.setDaemon(true);
      return made;
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public void start(LongSupplier step) {
      thread = daemon(() -> run(step));
      thread.start();
    }

    private void run(LongSupplier step) {
      for (long wait = next(step); wait >= 0; wait = next(step)) {
        LockSupport.parkNanos(this, wait);
        Thread.interrupted(); // Only close() interrupts, and the next step looks at that.
      }
    }

    /** Without memory for a moment, the thread must not end: every question would wait in vain. */
    private static long next(LongSupplier step) {
      try {
        return step.getAsLong();
      } catch (RuntimeException | Error e) {
        Uncaught.report(e);
        return AFTER_ERROR_NANOS;
      }
    }

    @Override
    public void wake() {
      LockSupport.unpark(thread);
    }

    @Override
    public void interrupt() {
      thread.interrupt();
    }

    @Override
    public void completeLater(CompletableFuture<?> future, long nanos) {
      CompletableFuture<?> unused = future.completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public <T> T await(CompletableFuture<T> future)
        throws InterruptedException, ExecutionException {
      return future.get();
    }

    @Override
    public Executor answers() {
      return this::answer;
    }

    private void answer(Runnable task) {
      long now = System.nanoTime();
      if (now - answeredNanos > TimeUnit.MILLISECONDS.toNanos(idleMillis) / 2) {
        answers = pool(); // Two callers may make one each; the threads of both end.
      }
      answeredNanos = now;
      answers.execute(task);
    }
  }
}
