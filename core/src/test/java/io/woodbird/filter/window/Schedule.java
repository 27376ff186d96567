package io.woodbird.filter.window;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads of which one runs at a time, from step to step, in an order that a seed decides. */
final class Schedule {
  /*
   * At a step a thread runs on, with a probability that is drawn per schedule, or stops until it is
   * chosen again. So some run for long, as if the others were stopped for a minute, and some take
   * turns. One that waits for a lock is not chosen; when it gets the lock it may run beside another
   * up to its next step, so that a seed repeats most schedules, not all.
   *
   * Threads that are not chosen are parked. Only the one that chooses looks again and again, for a
   * while, as no lock tells who waits for it.
   */
  private static final int LOOKS = 200;

  private static final long PAUSE_NANOS = 50_000;

  private final SplittableRandom random;
  private final double stay;
  private final List<Worker> workers = new ArrayList<>();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final Thread chooser = Thread.currentThread();

  private final class Worker extends Thread {
    private final Runnable task;
    private final SplittableRandom own = random.split();
    private volatile boolean mayRun;
    private volatile boolean stopped = true;
    private volatile boolean done;

    Worker(Runnable task) {
      this.task = task;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        await();
        task.run();
      } catch (Throwable e) {
        failure.compareAndSet(null, e);
      } finally {
        done = true;
        LockSupport.unpark(chooser);
      }
    }

    private void step() {
      if (own.nextDouble() >= stay) {
        await();
      }
    }

    private void await() {
      stopped = true;
      LockSupport.unpark(chooser);
      while (!mayRun) {
        LockSupport.park(this);
      }
      stopped = false;
      mayRun = false;
    }

    /** Lets it run to its next step, its end or a lock that it has to wait for. */
    private void proceed() {
      mayRun = true;
      LockSupport.unpark(this);
      // Until it has left its park, it only seems to wait for a lock.
      for (int i = 0; mayRun || (!done && !stopped && !isWaiting()); i++) {
        if (i < LOOKS) {
          Thread.onSpinWait();
        } else {
          LockSupport.parkNanos(this, PAUSE_NANOS);
        }
      }
    }

    private boolean isWaiting() {
      return getState() == State.BLOCKED || getState() == State.WAITING;
    }
  }

  Schedule(SplittableRandom random) {
    this.random = random;
    this.stay = 1 - Math.pow(10, -0.5 - 2 * random.nextDouble());
  }

  /** Adds a thread. */
  void add(Runnable task) {
    workers.add(new Worker(task));
  }

  /** Stops the calling thread, if it is one of the schedule, until it is chosen again. */
  static void step() {
    if (Thread.currentThread() instanceof Worker worker) {
      worker.step();
    }
  }

  /** Runs all threads to their ends. */
  void run() {
    workers.forEach(Thread::start);
    while (workers.stream().anyMatch(worker -> !worker.done)) {
      List<Worker> ready =
          workers.stream().filter(worker -> !worker.done && worker.stopped).toList();
      if (ready.isEmpty()) {
        Thread.yield(); // One has got its lock and is on its way to a step.
        continue;
      }
      ready.get(random.nextInt(ready.size())).proceed();
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new AssertionError(first);
    }
  }
}
