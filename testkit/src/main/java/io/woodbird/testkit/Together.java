package io.woodbird.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Threads that do something at the same moment, round after round. */
public final class Together {
  /*
   * The threads meet by spinning, not by parking: waking a parked thread takes longer than the round
   * that should race. They meet twice: once for what is done between two rounds, and again right
   * before the next, so that nobody is late because it waited long.
   *
   * Two threads may still share a core for seconds, and then nothing races. So a round counts only if
   * two of its threads were at work at the same time, and others are added for those that do not,
   * up to a limit, as there are machines of one core. A thread that waits long sleeps a little:
   * the system wakes it on another core.
   */
  private static final int SPINS = 1000;

  private static final long NAP_NANOS = 20_000;
  private static final int MOST_ROUNDS = 20;

  private final int threads;
  private final AtomicInteger arrived = new AtomicInteger();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private final long[] started;
  private final long[] ended;
  private volatile int meeting;
  private final AtomicInteger counted = new AtomicInteger();

  private Together(int threads) {
    this.threads = threads;
    this.started = new long[threads];
    this.ended = new long[threads];
  }

  /** What one thread does. */
  public interface Task {
    /**
     * Does it.
     *
     * @param thread the number of the thread, from 0
     * @throws Exception or an error, to end the whole run
     */
    void run(int thread) throws Exception;
  }

  /** What one thread does in one round. */
  public interface RoundTask {
    /**
     * Does it.
     *
     * @param thread the number of the thread, from 0
     * @param round the number of the round, from 0
     * @throws Exception or an error, to end the whole run
     */
    void run(int thread, int round) throws Exception;
  }

  /** What is done between two rounds, by one thread alone. */
  public interface Between {
    /**
     * Does it.
     *
     * @param round the number of the round that ended
     * @throws Exception or an error, to end the whole run
     */
    void run(int round) throws Exception;
  }

  /**
   * Runs a task in several threads that start together.
   *
   * @param threads how many
   * @param task what each does
   * @throws AssertionError if one of them fails, with its failure as the cause
   */
  public static void run(int threads, Task task) {
    Together together = new Together(threads);
    // One round, whether they meet or not.
    together.start(1, (thread, round) -> task.run(thread), round -> together.counted.set(1));
  }

  /**
   * Runs a task in several threads, which start each round together.
   *
   * @param threads how many
   * @param rounds how many rounds in which threads really met; up to twenty times as many are run
   * @param task what each thread does in a round
   * @param between what one of them does after each round, while the others wait
   * @throws AssertionError if one of them fails, with its failure as the cause
   */
  public static void rounds(int threads, int rounds, RoundTask task, Between between) {
    new Together(threads).start(rounds, task, between);
  }

  private void start(int rounds, RoundTask task, Between between) {
    List<Thread> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      Thread thread = new Thread(() -> work(number, rounds, task, between));
      thread.setName("together-" + number);
      thread.setDaemon(true);
      thread.start();
      running.add(thread);
    }
    try {
      for (Thread thread : running) {
        thread.join();
      }
    } catch (InterruptedException e) {
      failure.compareAndSet(null, e); // Ends the threads at their next meeting.
      Thread.currentThread().interrupt();
    }
    Throwable first = failure.get();
    if (first != null) {
      throw new AssertionError(threads + " threads together: " + first, first);
    }
  }

  private void work(int thread, int rounds, RoundTask task, Between between) {
    try {
      for (int round = 0; counted.get() < rounds && round < MOST_ROUNDS * rounds; round++) {
        int current = round;
        meet(() -> {});
        if (failure.get() != null) {
          return;
        }
        started[thread] = System.nanoTime();
        task.run(thread, current);
        ended[thread] = System.nanoTime();
        meet(
            () -> {
              if (overlapped()) {
                counted.incrementAndGet();
              }
              between.run(current);
            });
      }
    } catch (Exception | Error e) {
      failure.compareAndSet(null, e);
    }
  }

  /** Whether two threads were at work at the same time; one thread alone always was. */
  private boolean overlapped() {
    for (int i = 0; i < threads; i++) {
      for (int j = 0; j < i; j++) {
        if (started[i] - ended[j] < 0 && started[j] - ended[i] < 0) {
          return true;
        }
      }
    }
    return threads == 1;
  }

  private interface Last {
    void run() throws Exception;
  }

  /** Waits for all threads; the last to arrive does something before it lets them go. */
  private void meet(Last last) throws Exception {
    int current = meeting;
    if (arrived.incrementAndGet() == threads) {
      arrived.set(0);
      try {
        last.run();
      } finally {
        meeting = current + 1;
      }
      return;
    }
    for (int spun = 0; meeting == current && failure.get() == null; spun++) {
      if (spun < SPINS) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(NAP_NANOS);
      }
    }
  }
}
