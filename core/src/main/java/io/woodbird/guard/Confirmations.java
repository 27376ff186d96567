package io.woodbird.guard;

import io.woodbird.time.TimeSpan;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Lets all questions that arrive within some milliseconds share one catch-up of a follower. */
final class Confirmations implements AutoCloseable {
  /*
   * A question that would be denied joins the open group and waits for it. A single thread takes the
   * open group, opens the next one, and only then lets the follower catch up. So the catch-up of a
   * group begins after every question of the group was asked, and what was committed before any of
   * them is in the filter when the group is confirmed. A catch-up begins 20 ms after the last one at
   * the earliest, so the source sees at most 50 a second, whatever the number of questions.
   *
   * With a bound on freshness the thread catches up by itself, twice within the bound. A question
   * may be denied without waiting if the last catch-up that succeeded began within the bound: the
   * question reads that time before it reads the filter.
   *
   * A catch-up that fails leaves the questions of its group unconfirmed. Until one succeeds again,
   * no question waits: the thread tries on its own. The same holds while a catch-up takes longer
   * than a question may wait.
   */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long IDLE = Long.MIN_VALUE;

  private final Follower follower;
  private final long pauseNanos;
  private final long patienceNanos;
  private final long freshnessNanos;
  private final int mostWaiting;
  private final Thread thread;
  private final AtomicInteger waiting = new AtomicInteger();
  private final LongAdder confirmed = new LongAdder();
  private final LongAdder failed = new LongAdder();

  /** Whether there was a catch-up; the thread's own. */
  private boolean begun;

  private volatile Group open = new Group();
  private volatile boolean closed;

  /** When the catch-up that runs began, or {@link #IDLE}. */
  private volatile long runningSince = IDLE;

  /** When the last catch-up that succeeded began; long ago if there was none. */
  private volatile long caughtUp = System.nanoTime() - TimeSpan.LONGEST.toNanos();

  /** Why the last catch-up failed; null if it succeeded. */
  private volatile @Nullable Throwable failure = new IllegalStateException("has not begun yet");

  Confirmations(Follower follower, FollowingFilter.Settings settings, String name) {
    this.follower = follower;
    this.pauseNanos = settings.pause().toNanos();
    this.patienceNanos = settings.patience().toNanos();
    this.freshnessNanos = settings.freshness().toNanos();
    this.mostWaiting = settings.mostWaiting();
    this.thread = new Thread(this::run, "woodbird-follow-" + name);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  /** Questions that were asked before the same catch-up. */
  private static final class Group {
    final CompletableFuture<Boolean> confirmed = new CompletableFuture<>();
    final AtomicInteger members = new AtomicInteger();
  }

  /** A mark that must be taken before the filter is read, for {@link #isFresh}. */
  long mark() {
    return caughtUp;
  }

  /** Whether a filter that was read after the mark had all that is older than the bound. */
  boolean isFresh(long mark) {
    return freshnessNanos > 0
        && System.nanoTime() - mark <= freshnessNanos
        && failure == null
        && !closed;
  }

  /** Why no question can be confirmed now; null if all is well. */
  @Nullable String doubt() {
    if (closed) {
      return "the follower is closed";
    }
    Throwable reason = failure;
    if (reason != null) {
      return "the follower can't catch up: " + reason;
    }
    return isLate() ? "the follower is late" : null;
  }

  private boolean isLate() {
    long since = runningSince;
    return since != IDLE && System.nanoTime() - since > patienceNanos;
  }

  /** How many catch-ups have succeeded. */
  long confirmed() {
    return confirmed.sum();
  }

  /** How many catch-ups have failed. */
  long failed() {
    return failed.sum();
  }

  /** How many threads wait now. */
  int waiting() {
    return waiting.get();
  }

  /**
   * Joins the open group.
   *
   * @return completes with true when all that was committed before this call is in the filter, with
   *     false if that can't be known
   */
  CompletableFuture<Boolean> join() {
    if (closed || failure != null || isLate()) {
      return CompletableFuture.completedFuture(false);
    }
    Group group = open;
    if (group.members.getAndIncrement() == 0) {
      LockSupport.unpark(thread);
    }
    if (closed) { // The thread may have ended before it saw this member.
      group.confirmed.complete(false);
    }
    return group.confirmed;
  }

  /** The same, and false when a question has waited long enough. */
  CompletableFuture<Boolean> joinInTime() {
    return join().copy().completeOnTimeout(false, patienceNanos, TimeUnit.NANOSECONDS);
  }

  /** Waits for a confirmation, for a bounded time. */
  boolean await() {
    if (waiting.incrementAndGet() > mostWaiting) {
      waiting.decrementAndGet();
      return false;
    }
    try {
      return join().get(patienceNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } finally {
      waiting.decrementAndGet();
    }
  }

  private void run() {
    long began = System.nanoTime() - pauseNanos;
    while (!closed) {
      long now = System.nanoTime();
      long due = began + untilDue();
      if (now - due < 0) {
        LockSupport.parkNanos(this, due - now);
        Thread.interrupted(); // Only close() interrupts, and it is looked at next.
        continue;
      }
      Group group = open;
      open = new Group();
      began = System.nanoTime();
      group.confirmed.complete(catchUp(began));
    }
    open.confirmed.complete(false);
  }

  /** How long after the beginning of the last catch-up the next one begins. */
  private long untilDue() {
    if (failure != null && begun) {
      return Math.max(pauseNanos, RETRY_NANOS);
    }
    if (open.members.get() > 0 || !begun) {
      return pauseNanos;
    }
    return freshnessNanos > 0 ? Math.max(pauseNanos, freshnessNanos / 2) : Long.MAX_VALUE / 2;
  }

  private boolean catchUp(long began) {
    begun = true;
    runningSince = began;
    try {
      follower.catchUp();
      caughtUp = began;
      failure = null;
      confirmed.increment();
      return true;
    } catch (Throwable e) {
      failure = e;
      failed.increment();
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return false;
    } finally {
      runningSince = IDLE;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    open.confirmed.complete(false);
    follower.close();
  }
}
