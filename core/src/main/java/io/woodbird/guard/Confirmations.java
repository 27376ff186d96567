package io.woodbird.guard;

import io.woodbird.guard.Follower.Proof;
import io.woodbird.time.TimeSpan;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Lets all questions that arrive within some milliseconds share one call of a follower. */
final class Confirmations<K> implements AutoCloseable {
  /*
   * A question that would be denied joins the open group and waits for it. A single thread takes the
   * open group, opens the next one, and only then calls the follower. So the call begins after every
   * question of the group was asked, and its proof holds for all of them. A call begins 17 ms after
   * the last one at the earliest, so the source sees fewer than 60 a second, whatever the number of
   * questions; and after a call that took long, a quarter of its time is left free, so that a slow
   * source is not busy with this alone. Half its time would be too much: while the source rests, the
   * next group grows, and takes longer for it (FollowProbe, 100,000 questions a second in gaps).
   *
   * With a bound on freshness the thread calls the follower by itself, twice within the bound. A
   * question may use the last proof without waiting if the call that gave it began within the bound:
   * the question reads the proof before it reads the filter. Both clocks must say so: nanoTime stands
   * still while a machine sleeps, and the clock of the day goes back when somebody sets it.
   *
   * A call that fails leaves the questions of its group without a proof. Until one succeeds again, no
   * question waits: the thread tries on its own, soon at first and then once a second. The same holds
   * while a call takes longer than a question may wait, and after two calls in a row that took so
   * long that a question which came at their beginning would wait in vain. Then the thread tries
   * with the same keys until it is faster.
   */
  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FIRST_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long IDLE = Long.MIN_VALUE;

  private final Follower<K> follower;
  private final String name;
  private final long pauseNanos;
  private final long patienceNanos;
  private final long freshnessNanos;
  private final InstantSource clock;
  private final int mostWaiting;
  private final Consumer<Optional<String>> onDoubt;
  private final FollowThread thread;
  private final LongAdder confirmed = new LongAdder();
  private final LongAdder failed = new LongAdder();
  private final LongAdder asked = new LongAdder();
  private final Object lock = new Object();

  // The thread's own.
  private boolean begun;
  private long begunNanos;
  private long tookNanos;
  private boolean told;
  private long retryNanos = FIRST_RETRY_NANOS;
  private boolean wasSlow;
  private List<K> slowKeys = List.of();

  /** Changes under the lock, so that nobody joins a group that was taken. */
  private Group<K> open = new Group<>();

  private volatile int beingConfirmed;
  private volatile boolean closed;

  /** When the call that runs began, or {@link #IDLE}. */
  private volatile long runningSince = IDLE;

  private volatile Latest<K> latest;

  /** Why the last call failed; null if it succeeded. */
  private volatile @Nullable Throwable failure = new IllegalStateException("has not begun yet");

  Confirmations(
      Follower<K> follower, FollowingFilterBuilder.Settings settings, FollowThread thread) {
    this.follower = follower;
    this.name = settings.name();
    this.pauseNanos = settings.pause().toNanos();
    this.patienceNanos = settings.patience().toNanos();
    this.freshnessNanos = settings.freshness().toNanos();
    this.clock = settings.clock();
    this.mostWaiting = settings.mostWaiting();
    this.onDoubt = settings.onDoubt();
    this.thread = thread;
    this.latest = new Latest<>(key -> false, thread.nanoTime() - TimeSpan.LONGEST.toNanos(), 0);
  }

  /** Completes what asked without waiting: what comes next is the caller's own code. */
  Executor answers() {
    return thread.answers();
  }

  void start() {
    begunNanos = thread.nanoTime() - pauseNanos;
    thread.start(this::step);
  }

  /** Keys that were asked for before the same call. */
  private static final class Group<K> {
    final List<K> keys = new ArrayList<>();
    boolean isAsked;

    /** Whether the thread was woken for it, and its time limit runs. */
    volatile boolean isBegun;

    /** Completes with null if nothing is known. */
    final CompletableFuture<@Nullable Proof<K>> proof = new CompletableFuture<>();
  }

  /** The last proof, and when the call that gave it began, by two clocks. */
  private record Latest<K>(Proof<K> proof, long began, long beganMillis) {}

  /**
   * The last proof if a bound on freshness allows to use it. Must be taken before the filter is
   * read.
   */
  @Nullable Proof<K> recent() {
    if (freshnessNanos == 0) {
      return null;
    }
    Latest<K> last = latest;
    boolean usable =
        thread.nanoTime() - last.began() <= freshnessNanos
            && Math.abs(clock.millis() - last.beganMillis())
                <= freshnessNanos / NANOS_PER_MILLI + 1 // Both are rounded.
            && failure == null
            && !closed;
    return usable ? last.proof() : null;
  }

  /**
   * Whether the last proof was complete, so that the next one will tell no more than the filter.
   */
  boolean relyOnFilter() {
    return latest.proof().isComplete();
  }

  /** Why no question can be confirmed now; null if all is well. */
  @Nullable String doubt() {
    if (closed) {
      return "the follower is closed";
    }
    Throwable reason = failure;
    if (reason != null) {
      return failing(reason);
    }
    return isLate() ? "the follower is late" : null;
  }

  private static String failing(Throwable reason) {
    return "the follower fails: " + Uncaught.textOf(reason);
  }

  private boolean isLate() {
    long since = runningSince;
    return since != IDLE && thread.nanoTime() - since > patienceNanos;
  }

  /** How many calls have succeeded. */
  long confirmed() {
    return confirmed.sum();
  }

  /** How many calls have failed. */
  long failed() {
    return failed.sum();
  }

  /** How many keys were asked for in groups. */
  long asked() {
    return asked.sum();
  }

  /** How many keys wait for a proof now. */
  int waiting() {
    synchronized (lock) {
      return beingConfirmed + open.keys.size();
    }
  }

  /** How many keys one group takes. */
  int mostWaiting() {
    return mostWaiting;
  }

  /**
   * Joins the open group.
   *
   * @return completes with a proof from a call that began after this one, or with null if there is
   *     none, or when a question has waited long enough
   */
  CompletableFuture<@Nullable Proof<K>> join(List<? extends K> keys) {
    if (closed || failure != null || isLate()) {
      return CompletableFuture.completedFuture(null);
    }
    Group<K> group;
    synchronized (lock) {
      group = open;
      if (group.isAsked && group.keys.size() + keys.size() > mostWaiting) {
        return CompletableFuture.completedFuture(null);
      }
      group.keys.addAll(keys);
      group.isAsked = true;
    }
    asked.add(keys.size());
    if (!group.isBegun) {
      // One limit for all: a timer for each question costs more than the question. The flag comes
      // last: if there is no memory for a timer, the next member does it all again.
      thread.wake();
      thread.completeLater(group.proof, patienceNanos);
      group.isBegun = true;
    }
    if (closed) { // The thread may have ended before it saw this member.
      group.proof.complete(null);
    }
    return group.proof;
  }

  /** Waits for a proof, for a bounded time. */
  @Nullable Proof<K> await(List<? extends K> keys) {
    try {
      return thread.await(join(keys));
    } catch (ExecutionException e) {
      return null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return null;
    }
  }

  /** Calls the follower if that is due; returns how long to wait, negative at the end. */
  private long step() {
    if (closed) {
      synchronized (lock) {
        open.proof.complete(null);
      }
      return -1;
    }
    long wait = begunNanos + untilDue() - thread.nanoTime();
    if (wait > 0) {
      return wait;
    }
    Group<K> group;
    synchronized (lock) {
      group = open;
      open = new Group<>();
      beingConfirmed = group.keys.size();
    }
    begunNanos = thread.nanoTime();
    Proof<K> proof = confirm(group.isAsked ? group.keys : slowKeys, begunNanos);
    beingConfirmed = 0; // First: a question that goes on is no longer counted.
    group.proof.complete(proof);
    return 0;
  }

  /** How long after the beginning of the last call the next one begins. */
  private long untilDue() {
    if (failure != null && begun) {
      return Math.max(retryNanos, Math.min(10 * RETRY_NANOS, 4 * tookNanos)); // It may hang.
    }
    long pause = Math.max(pauseNanos, tookNanos + restNanos());
    synchronized (lock) {
      if (open.isAsked || !begun) {
        return pause;
      }
    }
    return freshnessNanos > 0 ? Math.max(pause, freshnessNanos / 2) : Long.MAX_VALUE / 2;
  }

  /** How long the source is left alone after a call. */
  private long restNanos() {
    return Math.min(tookNanos / 4, patienceNanos / 10);
  }

  private @Nullable Proof<K> confirm(List<K> keys, long began) {
    begun = true;
    runningSince = began;
    long beganMillis = clock.millis();
    try {
      Proof<K> proof = Objects.requireNonNull(follower.confirm(keys), "proof");
      latest = new Latest<>(proof, began, beganMillis);
      tookNanos = thread.nanoTime() - began;
      Throwable late = lateness(keys);
      tell(late);
      failure = late;
      retryNanos = FIRST_RETRY_NANOS;
      confirmed.increment();
      return proof;
    } catch (Throwable e) {
      retryNanos = failure == null ? FIRST_RETRY_NANOS : Math.min(RETRY_NANOS, 2 * retryNanos);
      failure = e;
      failed.increment();
      tell(e);
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return null;
    } finally {
      tookNanos = thread.nanoTime() - began;
      runningSince = IDLE;
    }
  }

  /** What to say of a source that is too slow, twice in a row; null if it is not. */
  private @Nullable Throwable lateness(List<K> keys) {
    boolean isSlow = 2 * tookNanos + restNanos() > patienceNanos;
    boolean isSlowAgain = isSlow && wasSlow;
    wasSlow = isSlow;
    slowKeys = isSlowAgain ? List.copyOf(keys) : List.of();
    return isSlowAgain
        ? new TimeoutException(
            "a proof takes "
                + TimeUnit.NANOSECONDS.toMillis(tookNanos)
                + " ms, and a question waits "
                + TimeUnit.NANOSECONDS.toMillis(patienceNanos)
                + " ms at most")
        : null;
  }

  /** Tells of the first failure, and of the first success after one. */
  private void tell(@Nullable Throwable reason) {
    if (closed || (reason != null) == told) {
      return;
    }
    told = reason != null;
    try {
      String doubt = reason == null ? null : failing(reason);
      FlightRecord.doubt(name, doubt);
      onDoubt.accept(Optional.ofNullable(doubt));
    } catch (RuntimeException | Error e) {
      Uncaught.report(e);
    }
  }

  @Override
  public void close() {
    closed = true;
    if (follower.readsChanges()) {
      thread.interrupt(); // It waits for its stream.
    } else {
      thread.wake(); // An interrupt during a query closes the files of some databases.
    }
    synchronized (lock) {
      open.proof.complete(null);
    }
    follower.close();
  }
}
