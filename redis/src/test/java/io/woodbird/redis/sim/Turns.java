package io.woodbird.redis.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time, and the tasks that share it: exactly one runs at a time.
 *
 * <p>A task is a thread, so that ordinary blocking code can wait in the middle of a call. The
 * threads hand one turn on to each other, at places that the seed decides, so a history is the same
 * each time, as if it had one thread. Whoever keeps its turn pays nothing.
 */
final class Turns {
  /** Unwinds a task whose process has ended. */
  static final class Ended extends Error {
    private static final long serialVersionUID = 1;

    Ended() {
      super("the process has ended", null, false, false);
    }
  }

  /** A task. */
  final class Task {
    final String name;
    final int process;
    final boolean awaited;
    private final Runnable body;
    private @Nullable Worker worker;
    private long wakeAt;
    private boolean done;
    private boolean ended;
    private volatile boolean turn;

    Task(String name, int process, boolean awaited, long wakeAt, Runnable body) {
      this.name = name;
      this.process = process;
      this.awaited = awaited;
      this.wakeAt = wakeAt;
      this.body = body;
    }

    /** Lets it go on now, if it pauses. */
    void wake() {
      wakeAt = Math.min(wakeAt, nanos);
    }
  }

  /** Threads that are used again by the next tasks; for one history at a time. */
  static final class Pool {
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();

    /** Ends the threads. */
    void close() {
      for (Worker worker : idle) {
        worker.closed = true;
        LockSupport.unpark(worker);
      }
    }
  }

  private static final class Worker extends Thread {
    private final Pool pool;
    private volatile @Nullable Runnable job;
    private volatile boolean closed;

    Worker(Pool pool) {
      super("simulated");
      this.pool = pool;
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
  private final SplittableRandom random;
  private final List<Task> tasks = new ArrayList<>();
  private final double switching;
  private @Nullable Task current;
  private volatile boolean over;
  private @Nullable Thread waiting;
  private long nanos;
  private @Nullable Throwable failure;

  Turns(Pool pool, long seed, double switching) {
    this.pool = pool;
    this.random = new SplittableRandom(seed);
    this.switching = switching;
  }

  long nanos() {
    return nanos;
  }

  void pass(long more) {
    nanos += more;
  }

  Task start(String name, int process, boolean awaited, long delay, Runnable body) {
    Task task = new Task(name, process, awaited, nanos + delay, body);
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
      if (task.process == process && !task.done) {
        task.ended = true;
        task.wakeAt = nanos;
      }
    }
  }

  boolean alive(int process) {
    return tasks.stream().anyMatch(t -> t.process == process && !t.done && !t.ended);
  }

  /** Delays all tasks of a process, as a pause of its machine does. */
  void stall(int process, long delay) {
    for (Task task : tasks) {
      if (task.process == process && !task.done) {
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
    List<Task> ready = new ArrayList<>(tasks.size());
    long first = Long.MAX_VALUE;
    for (Task task : tasks) {
      if (!task.done) {
        first = Math.min(first, task.wakeAt);
        if (task.wakeAt <= nanos) {
          ready.add(task);
        }
      }
    }
    if (first == Long.MAX_VALUE) {
      return null;
    }
    if (ready.isEmpty()) {
      nanos = first;
      for (Task task : tasks) {
        if (!task.done && task.wakeAt <= nanos) {
          ready.add(task);
        }
      }
    }
    return ready.get(ready.size() == 1 ? 0 : random.nextInt(ready.size()));
  }

  private void handTo(Task next) {
    current = next;
    next.turn = true;
    Worker worker = next.worker;
    if (worker != null) {
      LockSupport.unpark(worker);
      return;
    }
    worker = pool.idle.poll();
    boolean fresh = worker == null;
    if (worker == null) {
      worker = new Worker(pool);
    }
    next.worker = worker;
    Worker its = worker;
    worker.job = () -> run(next, its);
    if (fresh) {
      worker.start();
    } else {
      LockSupport.unpark(worker);
    }
  }

  private void run(Task me, Worker worker) {
    try {
      await(me);
      me.body.run();
    } catch (Ended e) {
      // Its process is gone.
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
    }
    me.done = true;
    me.worker = null;
    boolean more = tasks.stream().anyMatch(task -> task.awaited && !task.done);
    if (!more) {
      tasks.forEach(task -> task.ended = true);
      tasks.forEach(task -> task.wakeAt = Math.min(task.wakeAt, nanos));
      tasks.removeIf(task -> !task.done && task.worker == null);
    }
    Task next = choose();
    worker.pool.idle.push(worker);
    if (next == null) {
      over = true;
      LockSupport.unpark(waiting);
    } else {
      handTo(next);
    }
  }

  /** Runs until all tasks that are waited for are done; the others end with them. */
  void runAll() {
    waiting = Thread.currentThread();
    Task first = choose();
    if (first == null) {
      return;
    }
    handTo(first);
    long end = System.nanoTime() + 20_000_000_000L;
    while (!over) {
      LockSupport.parkNanos(this, 1_000_000_000L);
      if (!over && System.nanoTime() > end) {
        throw stuck();
      }
    }
    if (failure != null) {
      throw new IllegalStateException("a task failed", failure);
    }
  }

  private IllegalStateException stuck() {
    Task task = current;
    IllegalStateException stuck =
        new IllegalStateException("a task keeps its turn: " + currentName());
    if (task != null && task.worker != null) {
      stuck.setStackTrace(task.worker.getStackTrace());
    }
    return stuck;
  }
}
