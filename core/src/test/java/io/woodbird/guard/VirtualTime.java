package io.woodbird.guard;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The clock of a simulation: it runs events at their time, and tasks that may wait in the middle of
 * a call. Exactly one of them runs at a time, so a history is the same each time.
 */
final class VirtualTime {
  /** Stands for the process of what belongs to none: databases, writers, plans. */
  static final int NOBODY = 0;

  private static final long FOR_EVER = Long.MAX_VALUE / 4;

  /** Unwinds a task whose process has ended. */
  static final class Ended extends Error {
    private static final long serialVersionUID = 1;

    Ended() {
      super("the process has ended", null, false, false);
    }
  }

  /** Threads that are used again by later tasks; for one history at a time. */
  static final class Workers implements AutoCloseable {
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();

    @Override
    public void close() {
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

  /** What happens at some moment. */
  private static final class Entry implements Comparable<Entry>, Scheduler.Ticket {
    private long at;
    private final long order;
    private final int process;
    private final Runnable action;
    private boolean cancelled;

    Entry(long at, long order, int process, Runnable action) {
      this.at = at;
      this.order = order;
      this.process = process;
      this.action = action;
    }

    @Override
    public int compareTo(Entry other) {
      return at != other.at ? Long.compare(at, other.at) : Long.compare(order, other.order);
    }

    @Override
    public void cancel() {
      cancelled = true;
    }
  }

  /** A call that may wait. */
  final class Task {
    private final int process;
    private final Runnable body;
    private final SplittableRandom random;
    private @Nullable Worker worker;
    private int waits;
    private boolean parked;
    private boolean woken;
    private boolean ended;
    private boolean done;
    private volatile boolean turn;

    Task(int process, SplittableRandom random, Runnable body) {
      this.process = process;
      this.random = random;
      this.body = body;
    }

    /** Ends its present or its next {@link #park}. */
    void wake() {
      woken = true;
      if (parked) {
        int wait = waits;
        after(0, process, () -> resume(this, wait));
      }
    }

    /** Interrupts its thread, and wakes it. */
    void interrupt() {
      if (worker != null) {
        worker.interrupt();
      }
      wake();
    }
  }

  private final Workers workers;
  private final long seed;
  private final PriorityQueue<Entry> queue = new PriorityQueue<>();
  private final List<Task> tasks = new ArrayList<>();
  private final List<Integer> dead = new ArrayList<>();
  private final Thread main = Thread.currentThread();
  private final long[] stalledUntil = new long[64];
  private long order;
  private long nanos;
  private SplittableRandom random = new SplittableRandom(0);
  private @Nullable Task current;
  private volatile boolean mainTurn;
  private @Nullable Throwable failure;

  VirtualTime(Workers workers, long seed) {
    this.workers = workers;
    this.seed = seed;
  }

  long nanos() {
    return nanos;
  }

  /**
   * The random numbers of the task that runs, or of the event. They depend on when it began, and
   * not on what happened before: so a history stays much the same when a part of it is left out.
   */
  SplittableRandom random() {
    return current == null ? random : current.random;
  }

  /** Lets time pass in the middle of what can't wait: nothing else runs meanwhile. */
  void pass(long delay) {
    nanos += delay;
  }

  Scheduler.Ticket after(long delay, int process, Runnable action) {
    Entry entry = new Entry(nanos + Math.min(delay, FOR_EVER), order++, process, action);
    queue.add(entry);
    return entry;
  }

  private SplittableRandom randomOf(int process) {
    return new SplittableRandom(seed ^ nanos * 0x9E37_79B9_7F4A_7C15L ^ process);
  }

  Task start(int process, Runnable body) {
    Task task = new Task(process, random().split(), body);
    tasks.add(task);
    after(random().nextLong(100_000), process, () -> resume(task, 0));
    return task;
  }

  /** The task that runs; null if an event does. */
  @Nullable Task current() {
    return current;
  }

  /** Lets the task that runs wait for some time; an event goes on at once. */
  void pause(long delay) {
    Task me = current;
    if (me == null) {
      return;
    }
    if (me.ended) {
      throw new Ended();
    }
    me.waits++;
    int wait = me.waits;
    after(delay, me.process, () -> resume(me, wait));
    mainTurn = true;
    LockSupport.unpark(main);
    await(me);
  }

  /** Lets the task that runs wait for some time, or until it is woken. */
  void park(long delay) {
    Task me = current;
    if (me == null) {
      throw new IllegalStateException("an event can't wait");
    }
    if (!me.woken) {
      me.parked = true;
      pause(delay);
      me.parked = false;
    }
    me.woken = false;
  }

  /** Waits until a future is complete. */
  void await(CompletableFuture<?> future) {
    Task me = current;
    if (me != null) {
      CompletableFuture<?> unused = future.whenComplete((value, error) -> me.wake());
    }
    while (!future.isDone()) {
      park(FOR_EVER);
    }
  }

  private void await(Task me) {
    boolean interrupted = false;
    while (!me.turn) {
      interrupted |= Thread.interrupted(); // Else the thread could not wait.
      LockSupport.park(this);
    }
    me.turn = false;
    if (me.ended) {
      throw new Ended();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void resume(Task task, int wait) {
    if (task.done || task.waits != wait) {
      return;
    }
    handTo(task);
  }

  /** Lets a task run until it waits or ends. */
  private void handTo(Task task) {
    current = task;
    task.turn = true;
    Worker worker = task.worker;
    if (worker == null) {
      worker = workers.idle.poll();
      boolean fresh = worker == null;
      if (worker == null) {
        worker = new Worker();
      }
      task.worker = worker;
      worker.job = () -> run(task);
      if (fresh) {
        worker.start();
      }
    }
    LockSupport.unpark(worker);
    while (!mainTurn) {
      LockSupport.park(this);
    }
    mainTurn = false;
    current = null;
    if (task.done) {
      workers.idle.push(worker);
      tasks.remove(task);
    }
  }

  private void run(Task task) {
    try {
      await(task);
      task.body.run();
    } catch (Ended e) {
      // Its process is gone.
    } catch (Throwable e) {
      failure = failure == null ? e : failure;
    }
    Thread.interrupted(); // Not that of the next task.
    task.done = true;
    mainTurn = true;
    LockSupport.unpark(main);
  }

  /** Stops a process for some time; returns by how much that prolongs an earlier stop. */
  long stall(int process, long delay) {
    long before = Math.max(stalledUntil[process], nanos);
    stalledUntil[process] = Math.max(before, nanos + delay);
    return stalledUntil[process] - before;
  }

  /** Ends all that belongs to a process. */
  void end(int process) {
    dead.add(process);
    for (Task task : List.copyOf(tasks)) {
      if (task.process == process) {
        task.ended = true;
        if (task.worker != null) {
          handTo(task);
        }
        task.done = true;
        tasks.remove(task);
      }
    }
  }

  /** Lets all happen that is due up to a moment. */
  void runUntil(long end) {
    for (Entry next = queue.peek(); next != null && next.at <= end; next = queue.peek()) {
      queue.remove();
      if (next.cancelled || dead.contains(next.process)) {
        continue;
      }
      nanos = Math.max(nanos, next.at);
      if (stalledUntil[next.process] > nanos) {
        next.at = stalledUntil[next.process];
        queue.add(next);
        continue;
      }
      random = randomOf(next.process);
      next.action.run();
      if (failure != null) {
        throw new IllegalStateException("a task failed", failure);
      }
    }
    nanos = Math.max(nanos, end);
  }
}
