package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Generations that one process builds for itself. */
final class OwnGenerations<K> implements Generations<K> {
  /*
   * A and B. Under one lock a put goes into the recent puts, the generation being built, the one
   * before (for a roll back) and the current one; the beginning and the end of a build, a swap and a
   * roll back change these under the same lock. So each put comes wholly before or wholly after each
   * of them:
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
   * key would be in neither. They reach back the time "settle" from the moment the scan begins.
   *
   * A generation that does not answer yet, or any more, and can't take a key (its store is away, it is
   * full) does not stop the put: it is marked as broken and will never answer.
   */
  private static final int ATTEMPTS = 3;

  private final RebuildOptions<K> options;
  private final BuildEvents events;
  private final RecentPuts recent = new RecentPuts();
  private @Nullable Live<K> building;
  private @Nullable Live<K> previous;
  private @Nullable Long scanBegan;
  private boolean closed;
  private volatile @Nullable Live<K> current;
  private volatile @Nullable Live<K> overfull;
  private volatile @Nullable Filter<K> restored;

  OwnGenerations(RebuildOptions<K> options, BuildEvents events) {
    this.options = options;
    this.events = events;
  }

  @Override
  public Answer ask(K key) {
    Live<K> live = current;
    if (live == null) {
      return askRestored(Objects.requireNonNull(key, "key"));
    }
    return live.filter.ask(key);
  }

  /** What an earlier life knew: it can confirm a key, but not deny one. */
  private Answer askRestored(K key) {
    Filter<K> old = restored;
    return old != null && old.ask(key) == Answer.MAYBE_HERE ? Answer.MAYBE_HERE : Answer.UNKNOWN;
  }

  @Override
  public @Nullable MutableFilter<K> answering() {
    Live<K> live = current;
    return live == null ? null : live.filter;
  }

  @Override
  public Optional<Generation> generation() {
    Live<K> live = current;
    return live == null ? Optional.empty() : Optional.ofNullable(live.generation);
  }

  @Override
  public List<String> doubts() {
    return List.of();
  }

  @Override
  public synchronized boolean put(long hash) {
    boolean fresh = put(hash, prepare());
    noteOverfull();
    return fresh;
  }

  @Override
  public synchronized int put(long[] hashes, int count) {
    long now = prepare();
    int fresh = 0;
    for (int i = 0; i < count; i++) {
      fresh += put(hashes[i], now) ? 1 : 0;
    }
    noteOverfull();
    return fresh;
  }

  private long prepare() {
    if (closed) {
      throw new IllegalStateException("the filter is closed, nothing was put");
    }
    long now = options.clockwork().nanoTime();
    recent.forgetBefore((scanBegan != null ? scanBegan : now) - options.settle().toNanos());
    return now;
  }

  private boolean put(long hash, long now) {
    recent.add(hash, now);
    if (building != null) {
      building.putOrBreak(hash);
    }
    if (previous != null) {
      previous.putOrBreak(hash);
    }
    Live<K> live = current;
    return live != null && live.put(hash);
  }

  private void noteOverfull() {
    Live<K> live = current;
    if (live != null && live.passedCapacity()) {
      overfull = live;
    }
  }

  @Override
  public @Nullable Passed takeOverfull() {
    if (overfull == null) {
      return null;
    }
    synchronized (this) {
      Live<K> passed = overfull;
      overfull = null;
      return passed == null ? null : new Passed(passed.number, passed.capacity);
    }
  }

  /** How many keys the next generation must have room for, as far as is known. */
  private synchronized long knownKeys() {
    Live<K> live = current;
    if (live == null) {
      return 0;
    }
    // What has outgrown its room goes on growing: otherwise, without headroom, each new key would
    // ask for another build.
    return live.keys > live.capacity ? live.keys + live.keys / 4 : live.keys;
  }

  /** How many keys the source gave the last time. */
  private long lastCount() {
    Live<K> live = current;
    if (live != null && live.generation != null) {
      return live.generation.keys();
    }
    Filter<K> old = restored;
    return old == null ? 0 : old.stats().estimatedKeys();
  }

  @Override
  public Generation build(Build<K> build) throws Exception {
    long begun = options.clockwork().nanoTime();
    long number = build.number();
    if (number == 1) {
      restore();
    }
    long capacity = options.capacityFor(Math.max(options.expectedKeys(), knownKeys()));
    for (int attempt = 1; ; attempt++) {
      build.checkWanted();
      Live<K> live =
          new Live<>(options.store().begin(options.plan(number, capacity)), number, capacity);
      boolean swapped = false;
      try {
        // From here on every put goes into it, and the puts before are in the snapshot. Only then
        // is the source opened.
        events.started(number, capacity);
        Iterable<RecentPuts.Part> recent = install(live);
        long count = build.scan(live);
        if (build.fresh() <= capacity) {
          build.verify(live, count, lastCount());
          long carried = Build.carry(live.filter, recent);
          Duration took = Duration.ofNanos(options.clockwork().nanoTime() - begun);
          Generation generation =
              new Generation(number, count, carried, capacity, options.clockwork().now(), took);
          options.store().publish(live.filter, generation);
          Live<K> dropped = swap(build, live, generation, build.fresh() + carried);
          swapped = true;
          restored = null;
          if (dropped != null) {
            discard(dropped);
          }
          return generation;
        }
        if (attempt == ATTEMPTS) {
          throw new OutgrownException(capacity, count);
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

  /** Tells the store; what it throws must not undo what is done. */
  private void discard(Live<K> live) {
    try {
      options.store().discard(live.filter);
    } catch (RuntimeException e) {
      Uncaught.report(e);
    }
  }

  @Override
  public Duration untilNext(Duration pause) {
    return pause;
  }

  /** Lets puts go into a new generation from now on, and tells what was put before. */
  private synchronized List<RecentPuts.Part> install(Live<K> live) {
    scanBegan = options.clockwork().nanoTime();
    recent.forgetBefore(scanBegan - options.settle().toNanos());
    building = live;
    return recent.snapshot();
  }

  /** Lets go of a generation that will not answer. */
  private synchronized void uninstall() {
    scanBegan = null;
    building = null;
  }

  /**
   * Lets the installed generation answer.
   *
   * @return one that will never answer again, if there is one
   */
  private synchronized @Nullable Live<K> swap(
      Build<K> build, Live<K> live, Generation generation, long keysWithoutPuts) {
    build.checkWanted();
    if (closed) {
      throw new IllegalStateException("the filter is closed");
    }
    if (live.broken != null) {
      throw new IllegalStateException("a key that was put meanwhile did not fit", live.broken);
    }
    live.generation = generation;
    live.keys += keysWithoutPuts;
    Live<K> dropped = options.keepPrevious() ? previous : current;
    previous = options.keepPrevious() ? current : null;
    current = live;
    building = null;
    scanBegan = null;
    noteOverfull();
    return dropped;
  }

  @Override
  public @Nullable RolledBack rollBack() {
    Live<K> back;
    Live<K> dropped;
    synchronized (this) {
      back = previous;
      dropped = current;
      if (back == null || dropped == null || back.broken != null) {
        return null;
      }
      current = back;
      previous = null;
    }
    discard(dropped);
    return new RolledBack(back.number, back.generation, dropped.number);
  }

  @Override
  public void close() {
    List<Live<K>> dropped = new ArrayList<>();
    synchronized (this) {
      Live<K> live = current;
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
    }
    dropped.forEach(this::discard);
  }
}
