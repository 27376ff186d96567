package io.woodbird.redis.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and the tasks that share it: exactly one runs at a time.
 *
 * <p>A task is a row of steps. A step runs in a thread, so that ordinary blocking code can wait in
 * the middle of a call. The threads hand one turn on to each other, at places that the seed
 * decides, so a history is the same each time, as if it had one thread. To hand the turn on costs
 * more than some commands. So whoever keeps its turn pays nothing, and between its steps a task has
 * no thread: the step that is next runs in the thread of the step that has just ended. Only who
 * waits in the middle of a step keeps its thread.
 */
final class Turns {
  /** Unwinds a task whose process has ended. */
  static final class Ended extends Error {
    private static final long serialVersionUID = 1;

    Ended() {
      super("the process has ended", null, false, false);
    }
  }

  /** The work of a task. */
  interface Step {
    /** Goes on; returns how long to pause before the next step, or a negative number at the end. */
    long run();

    /** Comes instead of the next step if the process ended meanwhile. */
    default void ended() {}
  }

  /** A task. */
  final class Task {
    final String name;
    final int process;
    final boolean awaited;
    private final Step step;

    /** The thread of the step that runs or waits; null between two steps. */
    private @Nullable Thread thread;

    private long wakeAt;
    private @Nullable BooleanSupplier until;
    private long delay;
    private boolean ended;
    private volatile boolean turn;

    Task(String name, int process, boolean awaited, long wakeAt, Step step) {
      this.name = name;
      this.process = process;
      this.awaited = awaited;
      this.wakeAt = wakeAt;
      this.step = step;
    }

    /** Lets it go on now, if it pauses. */
    void wake() {
      wakeAt = Math.min(wakeAt, nanos);
    }
  }

  /** Threads that are used again by the next tasks; for one history at a time. */
  static final class Pool {
    /** A history takes milliseconds, on a busy machine seconds; a turn in it far less. */
    private static final long LONGEST_TURN_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final ArrayDeque<Worker> idle = new ArrayDeque<>();
    private volatile @Nullable Turns running;

    /** Runs histories in a thread of their own, and gives up if one of them does not end. */
    void watch(Runnable histories) {
      CompletableFuture<Void> done =
          CompletableFuture.runAsync(
              () -> {
                OneProcessor.keepThisThread();
                histories.run();
              },
              task -> {
                Thread thread = new Thread(task, "simulated");
                thread.setDaemon(true);
                thread.start();
              });
      Turns last = null;
      long choices = 0;
      long began = 0;
      long turned = 0;
      while (true) {
        try {
          done.get(1, TimeUnit.SECONDS);
          return;
        } catch (TimeoutException e) {
          Turns now = running;
          long nanos = System.nanoTime();
          if (now == null || now != last) {
            last = now;
            began = nanos;
            turned = nanos;
          } else if (now.choices != choices) {
            turned = nanos;
          }
          if (now != null) {
            choices = now.choices;
            if (nanos - turned > LONGEST_TURN_NANOS || nanos - began > LONGEST_NANOS) {
              throw now.stuck();
            }
          }
        } catch (ExecutionException e) {
          if (e.getCause() instanceof Error error) {
            throw error;
          }
          throw new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    /** Ends the threads. */
    void close() {
      for (Worker worker : idle) {
        worker.closed = true;
        LockSupport.unpark(worker);
      }
    }
  }

  private static final class Worker extends Thread {
    private volatile @Nullable Runnable job;
    private volatile boolean closed;

    Worker() {
      super("simulated");
      setDaemon(true);
    }

    @Override
    public void run() {
      while (!closed) {
        Runnable now = job;
        if (now == null) {
          LockSupport.park(this);
        } else {
          job = null;
          now.run();
        }
      }
    }
  }

  private final Pool pool;
  private final long seed;
  private final SplittableRandom random;

  /** Those that are not done. */
  private final List<Task> tasks = new ArrayList<>();

  private final double switching;
  private @Nullable Task current;
  private volatile boolean over;

  /** How often somebody was given the turn; written by who has it. */
  private volatile long choices;

  private @Nullable Thread waiting;
  private long nanos;
  private @Nullable Throwable failure;

  /** Turns of the history that a seed draws. */
  Turns(Pool pool, long seed, double switching) {
    this.pool = pool;
    this.seed = seed;
    this.random = new SplittableRandom(seed * 31 + 5);
    this.switching = switching;
  }

  long nanos() {
    return nanos;
  }

  void pass(long more) {
    nanos += more;
  }

  Task start(String name, int process, boolean awaited, long delay, Step step) {
    Task task = new Task(name, process, awaited, nanos + delay, step);
    tasks.add(task);
    return task;
  }

  String currentName() {
    Task task = current;
    return task == null ? "nobody" : task.name;
  }

  /** Ends all tasks of a process: each unwinds when its turn comes, and does nothing more. */
  void end(int process) {
    for (Task task : tasks) {
      if (task.process == process) {
        task.ended = true;
        task.wakeAt = nanos;
      }
    }
  }

  /** Delays all tasks of a process, as a pause of its machine does. */
  void stall(int process, long delay) {
    for (Task task : tasks) {
      if (task.process == process) {
        task.wakeAt = Math.max(task.wakeAt, nanos + delay);
      }
    }
  }

  /** A place where another task may go on. */
  void boundary() {
    Task me = me();
    if (me.ended) {
      throw new Ended();
    }
    if (me.wakeAt > nanos || random.nextDouble() < switching) {
      giveWay(me);
    }
  }

  /** Lets time pass for the task that runs. */
  void pause(long delay) {
    Task me = me();
    if (me.ended) {
      throw new Ended();
    }
    me.wakeAt = Math.max(me.wakeAt, nanos + delay);
    giveWay(me);
  }

  /**
   * Lets the next step of the task that runs begin only when something is so. After each delay,
   * whoever chooses who goes on looks whether it is.
   *
   * @return the delay
   */
  long until(BooleanSupplier so, long delay) {
    Task me = me();
    me.until = so;
    me.delay = delay;
    return delay;
  }

  private Task me() {
    Task me = current;
    if (me == null) {
      throw new IllegalStateException("no task runs");
    }
    return me;
  }

  private void giveWay(Task me) {
    Task next = choose();
    if (next == null || next == me) {
      return;
    }
    handTo(next);
    await(me);
  }

  private void await(Task me) {
    while (!me.turn) {
      LockSupport.park(this);
    }
    me.turn = false;
    if (me.ended) {
      throw new Ended();
    }
  }

  /** Chooses who goes on; lets time pass if all wait. */
  private @Nullable Task choose() {
    choices++;
    while (true) {
      Task task = draw();
      if (task == null || task.ended || task.until == null || task.until.getAsBoolean()) {
        return task;
      }
      task.wakeAt = Math.max(task.wakeAt, nanos + task.delay);
    }
  }

  private @Nullable Task draw() {
    long first = Long.MAX_VALUE;
    int ready = 0;
    for (int i = 0; i < tasks.size(); i++) {
      long wakeAt = tasks.get(i).wakeAt;
      first = Math.min(first, wakeAt);
      ready += wakeAt <= nanos ? 1 : 0;
    }
    if (tasks.isEmpty()) {
      return null;
    }
    if (ready == 0) {
      nanos = first;
      for (int i = 0; i < tasks.size(); i++) {
        ready += tasks.get(i).wakeAt <= first ? 1 : 0;
      }
    }
    int left = ready == 1 ? 0 : random.nextInt(ready);
    for (int i = 0; ; i++) {
      Task task = tasks.get(i);
      if (task.wakeAt <= nanos && left-- == 0) {
        return task;
      }
    }
  }

  private void handTo(Task next) {
    current = next;
    Thread thread = next.thread;
    if (thread != null) {
      next.turn = true;
      LockSupport.unpark(thread);
      return;
    }
    Worker worker = pool.idle.poll();
    boolean fresh = worker == null;
    if (worker == null) {
      worker = new Worker();
    }
    worker.job = () -> run(next);
    if (fresh) {
      worker.start();
    } else {
      LockSupport.unpark(worker);
    }
  }

  /** Runs a step, and those after it that have no thread yet. */
  private void run(Task first) {
    Thread thread = Thread.currentThread();
    for (Task me = first; ; ) {
      me.thread = thread;
      boolean more = runStep(me);
      me.thread = null;
      if (!more) {
        tasks.remove(me);
        endIfNoneIsAwaited();
      }
      Task next = choose();
      if (next != null && next.thread == null) {
        current = next;
        me = next;
        continue;
      }
      if (thread instanceof Worker worker) {
        pool.idle.push(worker);
      }
      if (next != null) {
        handTo(next);
      } else {
        over = true;
        LockSupport.unpark(waiting);
      }
      return;
    }
  }

  /** Returns whether the task goes on. */
  private boolean runStep(Task me) {
    me.until = null;
    try {
      long delay = me.ended ? -1 : me.step.run();
      if (me.ended) {
        me.step.ended();
        return false;
      }
      me.wakeAt = Math.max(me.wakeAt, nanos + delay);
      return delay >= 0;
    } catch (Ended e) {
      return false; // Its process is gone.
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
      return false;
    }
  }

  private void endIfNoneIsAwaited() {
    for (Task task : tasks) {
      if (task.awaited) {
        return;
      }
    }
    for (Task task : tasks) {
      task.ended = true;
      task.wakeAt = Math.min(task.wakeAt, nanos);
    }
    tasks.removeIf(task -> task.thread == null);
  }

  /** Runs until all tasks that are waited for are done; the others end with them. */
  void runAll() {
    waiting = Thread.currentThread();
    Task first = choose();
    if (first == null) {
      return;
    }
    pool.running = this;
    current = first;
    run(first);
    while (!over) {
      LockSupport.park(this);
    }
    pool.running = null;
    if (failure != null) {
      throw new IllegalStateException("a task failed", failure);
    }
  }

  private IllegalStateException stuck() {
    Task task = current;
    IllegalStateException stuck =
        new IllegalStateException(
            "the history of seed " + seed + " does not end: " + currentName() + " has its turn");
    Thread thread = task == null ? null : task.thread;
    if (thread != null) {
      stuck.setStackTrace(thread.getStackTrace());
    }
    return stuck;
  }
}
