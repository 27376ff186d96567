package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Generations that one process builds for itself. */
final class OwnGenerations<K> implements Generations<K> {
  /*
   * The invariant: a generation that answers, or may answer later, has every key whose put returned,
   * unless the put returned more than "settle" before the generation's source was opened. Then the
   * key's row was visible to that source, or was deleted, or was never committed.
   *
   * A and B. Under one lock a put, of one key or a batch, goes into the generation being built, the
   * one before (for a roll back), the current one, and last, with the time of that moment, into the
   * recent puts. The beginning and the end of a build, a swap and a roll back change these under the
   * same lock. So each put comes wholly before or wholly after each of them:
   *
   *   put before a build begins   in the snapshot of recent puts, which goes into B before the swap
   *   put while it runs           in A and B
   *   put after the swap          in B, and in A, to which a roll back may return
   *
   * A question reads "current" once, without the lock. Whatever generation that gives was current
   * during the question, so it holds every put that returned before the question began.
   *
   * The recent puts are what a plain "write to both" lacks: a key may be put, a build may then begin
   * and read a snapshot of the source in which the key's transaction is not yet committed, and the
   * key would be in neither. They reach back the time "settle" from the moment the build begins. The
   * source is opened after that moment, and a put has its time when all of it is done, however long
   * that took: a pause anywhere makes the reach longer, never shorter. What happens between the end
   * of put() and the caller's commit can't be seen from here, and counts for "settle".
   *
   * The memory is bounded, however long a source hangs: a build has its snapshot, and needs nothing
   * that is put later to be remembered. If more is put within "settle" than there is room for, the
   * oldest are left out. Then a build lets puts into B first and waits until "settle" has passed
   * since the youngest that is missing: its row is visible by then, so the source gives it. That is
   * how processes build that can't see each other's puts, see SharedFilter.Building.
   *
   * A generation that does not answer yet, or any more, and can't take a key (its store is away, it is
   * full) does not stop the put: it is marked as broken and will never answer.
   */
  /** The first may count more keys than expected, and the second grow during the count. */
  private static final int ATTEMPTS = 3;

  /** How soon a build that waits notices that it was abandoned. */
  private static final long LOOK_NANOS = 200_000_000;

  /** No build waits longer for recent puts than this; it fails instead. */
  private static final Duration LONGEST_WAIT = Duration.ofDays(1);

  private final RebuildOptions<K> options;
  private final BuildEvents events;
  private final RecentPuts recent;
  private final long settleNanos;

  /** Held while keys are put, which may be into a file or over a network. */
  private final ReentrantLock lock = new ReentrantLock();

  private final long[] single = new long[1];
  private @Nullable GenerationFilter<K> building;
  private @Nullable GenerationFilter<K> previous;
  private boolean closed;
  private volatile @Nullable GenerationFilter<K> current;
  private volatile @Nullable GenerationFilter<K> overfull;
  private volatile @Nullable Filter<K> restored;

  /** A generation that hashes otherwise than planned. */
  private volatile @Nullable GenerationFilter<K> foreign;

  OwnGenerations(RebuildOptions<K> options, BuildEvents events) {
    this.options = options;
    this.events = events;
    this.recent = new RecentPuts(options.recentPuts());
    this.settleNanos = options.settle().toNanos();
  }

  @Override
  public Answer ask(K key, long distrusted) {
    GenerationFilter<K> live = current;
    if (live == null) {
      return askRestored(Objects.requireNonNull(key, "key"));
    }
    if (!live.proven && !isProvenBy(key, live)) {
      return Answer.UNKNOWN;
    }
    Answer answer = live.filter.ask(key);
    return answer == Answer.NOT_HERE && live.number <= distrusted ? Answer.UNKNOWN : answer;
  }

  /**
   * Puts go by the planned hash, and this question by the filter's own. If the source gave no key
   * to compare the two with, the first one that is asked for serves.
   */
  private boolean isProvenBy(K key, GenerationFilter<K> live) {
    if (!options.sameHash(live.filter, key)) {
      foreign = live;
      return false;
    }
    live.proven = true;
    return true;
  }

  @Override
  public boolean isNewerThan(long build) {
    GenerationFilter<K> live = current;
    return live != null && live.number > build;
  }

  @Override
  public boolean knew(K key) {
    try {
      return current == null && askRestored(key) == Answer.MAYBE_HERE;
    } catch (RuntimeException e) {
      return false; // The store's fault must not end the build.
    }
  }

  /** What an earlier life knew: it can confirm a key, but not deny one. */
  private Answer askRestored(K key) {
    Filter<K> old = restored;
    return old != null && old.ask(key) == Answer.MAYBE_HERE ? Answer.MAYBE_HERE : Answer.UNKNOWN;
  }

  @Override
  public @Nullable MutableFilter<K> answering() {
    GenerationFilter<K> live = current;
    return live == null ? null : live.filter;
  }

  @Override
  public Optional<Generation> generation() {
    GenerationFilter<K> live = current;
    return live == null ? Optional.empty() : Optional.ofNullable(live.generation);
  }

  @Override
  public List<String> doubts() {
    GenerationFilter<K> live = current;
    return live != null && live == foreign ? List.of(Build.OTHER_HASHES) : List.of();
  }

  @Override
  public boolean put(long hash) {
    lock.lock();
    try {
      single[0] = hash;
      return put(single, 1) == 1;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int put(long[] hashes, int count) {
    lock.lock();
    try {
      if (closed) {
        throw new IllegalStateException("the filter is closed, nothing was put");
      }
      return putIntoAll(hashes, count);
    } finally {
      lock.unlock();
    }
  }

  /** Needs the lock. */
  private int putIntoAll(long[] hashes, int count) {
    try {
      if (building != null) {
        building.putOrBreak(hashes, count);
      }
      if (previous != null) {
        previous.putOrBreak(hashes, count);
      }
      GenerationFilter<K> live = current;
      return live == null ? 0 : live.put(hashes, count);
    } finally {
      long now = options.scheduler().nanoTime(); // All of it is done: "settle" begins.
      recent.forgetBefore(now - settleNanos);
      recent.add(hashes, count, now);
      noteOverfull();
    }
  }

  /** How many recent puts are remembered. */
  long remembered() {
    lock.lock();
    try {
      return recent.count();
    } finally {
      lock.unlock();
    }
  }

  private void noteOverfull() {
    GenerationFilter<K> live = current;
    if (live != null && live.passedCapacity()) {
      overfull = live;
    }
  }

  @Override
  public @Nullable Passed takeOverfull() {
    if (overfull == null) {
      return null;
    }
    lock.lock();
    try {
      GenerationFilter<K> passed = overfull;
      overfull = null;
      return passed == null ? null : new Passed(passed.number, passed.capacity);
    } finally {
      lock.unlock();
    }
  }

  /** How many keys the next generation must have room for, as far as is known. */
  private long knownKeys() {
    lock.lock();
    try {
      GenerationFilter<K> live = current;
      if (live == null) {
        return 0;
      }
      // What has outgrown its room goes on growing: otherwise, without headroom, each new key would
      // ask for another build.
      return live.keys > live.capacity ? live.keys + live.keys / 4 : live.keys;
    } finally {
      lock.unlock();
    }
  }

  /** How many keys the source gave the last time. */
  private long lastCount() {
    GenerationFilter<K> live = current;
    if (live != null && live.generation != null) {
      return live.generation.keys();
    }
    Filter<K> old = restored;
    return old == null ? 0 : old.stats().estimatedKeys();
  }

  @Override
  public Generation build(Build<K> build) throws Exception {
    long begun = options.scheduler().nanoTime();
    long number = build.number();
    if (number == 1) {
      restore();
    }
    long capacity = options.capacityFor(Math.max(options.expectedKeys(), knownKeys()));
    for (int attempt = 1; ; attempt++) {
      build.checkWanted();
      GenerationFilter<K> live =
          new GenerationFilter<>(
              options.store().begin(options.plan(number, capacity)), number, capacity);
      boolean swapped = false;
      try {
        // From here on every put goes into it, and the puts before are in the snapshot. Only then
        // is the source opened.
        RecentPuts.Snapshot recent = install(live);
        settle(build, capacity, recent);
        long count = build.scan(live);
        if (build.fresh() <= capacity) {
          build.verify(live, count, lastCount());
          long carried = recent.putInto(live.filter);
          Duration took = Duration.ofNanos(options.scheduler().nanoTime() - begun);
          Generation generation =
              new Generation(number, count, carried, capacity, options.scheduler().now(), took);
          options.store().publish(live.filter, generation);
          GenerationFilter<K> dropped = swap(build, live, generation, build.fresh() + carried);
          swapped = true;
          restored = null;
          if (dropped != null) {
            discard(dropped);
          }
          return generation;
        }
        if (attempt == ATTEMPTS) {
          throw new Build.OutgrownException(capacity, count);
        }
        // It read on to the end to count, so that the next attempt fits.
        capacity = options.capacityFor(count);
      } finally {
        if (!swapped) {
          uninstall();
          discard(live);
        }
      }
    }
  }

  /** Looks for what an earlier life of the process left, once. */
  private void restore() {
    try {
      restored = options.store().restore(options.keys()).orElse(null);
    } catch (IOException | RuntimeException e) {
      events.unreadable(e);
    }
  }

  /** Tells the store; what it throws must not undo what is done, nor an interrupt disturb it. */
  private void discard(GenerationFilter<K> live) {
    boolean interrupted = Thread.interrupted();
    try {
      options.store().discard(live.filter);
    } catch (RuntimeException | Error e) {
      Uncaught.report(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public Duration untilNext(Duration pause) {
    return pause;
  }

  /** Lets puts go into a new generation from now on, and tells what was put before. */
  private RecentPuts.Snapshot install(GenerationFilter<K> live) {
    lock.lock();
    try {
      recent.forgetBefore(options.scheduler().nanoTime() - settleNanos);
      building = live;
      return recent.snapshot();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until every put that is missing in a snapshot is visible in the source. */
  private void settle(Build<K> build, long capacity, RecentPuts.Snapshot recent)
      throws InterruptedException {
    if (recent.complete()) {
      events.started(build.number(), capacity);
      return;
    }
    if (options.settle().compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "more than %,d keys were put within settle, %s, and no more are remembered; with a"
                  + " settle of a day or less the build would wait",
              options.recentPuts(),
              options.settle()));
    }
    long since = recent.leftOutNanos();
    long left = settleNanos - (options.scheduler().nanoTime() - since);
    events.waits(build.number(), capacity, Duration.ofNanos(Math.max(0, left)));
    while (options.scheduler().nanoTime() - since <= settleNanos) {
      options.scheduler().sleep(LOOK_NANOS);
      build.beat();
    }
  }

  /** Ends the puts into a generation that will not answer. */
  private void uninstall() {
    lock.lock();
    try {
      building = null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Lets the installed generation answer.
   *
   * @return one that will never answer again, if there is one
   */
  private @Nullable GenerationFilter<K> swap(
      Build<K> build, GenerationFilter<K> live, Generation generation, long keysWithoutPuts) {
    lock.lock();
    try {
      build.checkWanted();
      if (closed) {
        throw new IllegalStateException("the filter is closed");
      }
      if (live.broken != null) {
        throw new IllegalStateException("a key that was put meanwhile did not fit", live.broken);
      }
      live.generation = generation;
      live.keys += keysWithoutPuts;
      GenerationFilter<K> dropped = options.keepPrevious() ? previous : current;
      previous = options.keepPrevious() ? current : null;
      current = live;
      building = null;
      noteOverfull();
      return dropped;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable RolledBack rollBack() {
    GenerationFilter<K> back;
    GenerationFilter<K> dropped;
    lock.lock();
    try {
      back = previous;
      dropped = current;
      if (back == null || dropped == null || back.broken != null) {
        return null;
      }
      current = back;
      previous = null;
    } finally {
      lock.unlock();
    }
    discard(dropped);
    return new RolledBack(back.number, back.generation, dropped.number);
  }

  @Override
  public void close() {
    List<GenerationFilter<K>> dropped = new ArrayList<>();
    lock.lock();
    try {
      GenerationFilter<K> live = current;
      if (live != null) {
        dropped.add(live);
      }
      if (previous != null) {
        dropped.add(previous);
      }
      closed = true;
      current = null;
      previous = null;
      restored = null;
      recent.clear();
    } finally {
      lock.unlock();
    }
    dropped.forEach(this::discard);
  }
}
