package io.woodbird.guard;

import java.time.Instant;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The clock, the timer and the threads of a {@link RebuildingFilter}; tests have their own. */
interface Scheduler extends AutoCloseable {
  /** Time that only goes forward. Everything that matters is measured by it. */
  long nanoTime();

  /** The clock on the wall, to be shown to people only: it may jump. */
  Instant now();

  /** Waits in the thread that calls. */
  void sleep(long nanos) throws InterruptedException;

  /** Runs a short task later. */
  Ticket after(long nanos, Runnable task);

  /** Runs a long task now, in a thread of its own. */
  Thread start(String name, Runnable task);

  /** Forgets what was to be run later. */
  @Override
  void close();

  /** A task that may be called off. */
  interface Ticket {
    void cancel();
  }

  static Scheduler system() {
    return new SystemScheduler();
  }

  /** The real one: a timer thread that ends when nothing is to be timed. */
  final class SystemScheduler implements Scheduler {
    private final ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, task -> daemon("woodbird-timer", task));

    SystemScheduler() {
      timer.setRemoveOnCancelPolicy(true);
      timer.setKeepAliveTime(1, TimeUnit.SECONDS);
      timer.allowCoreThreadTimeOut(true);
    }

    private static Thread daemon(String name, Runnable task) {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    }

    @Override
    public long nanoTime() {
      return System.nanoTime();
    }

    @Override
    public Instant now() {
      return Instant.now();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      TimeUnit.NANOSECONDS.sleep(nanos);
    }

    @Override
    public Ticket after(long nanos, Runnable task) {
      ScheduledFuture<?> future = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
      return () -> future.cancel(false);
    }

    @Override
    public Thread start(String name, Runnable task) {
      Thread thread = daemon(name, task);
      thread.start();
      return thread;
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }
  }
}
