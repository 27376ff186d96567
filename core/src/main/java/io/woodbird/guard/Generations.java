package io.woodbird.guard;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The generations of a {@link RebuildingFilter}: which of them take a put, and which answers. */
final class Generations<K> {
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
  private final RebuildOptions<K> options;
  private final RecentPuts recent = new RecentPuts();
  private @Nullable Live<K> building;
  private @Nullable Live<K> previous;
  private @Nullable Long scanBegan;
  private boolean closed;
  private volatile @Nullable Live<K> current;
  private volatile @Nullable Live<K> overfull;

  Generations(RebuildOptions<K> options) {
    this.options = options;
  }

  /** The one that answers. */
  @Nullable Live<K> current() {
    return current;
  }

  /** Puts one hash. */
  synchronized boolean put(long hash) {
    boolean fresh = put(hash, prepare());
    noteOverfull();
    return fresh;
  }

  /** Puts many hashes; returns how many the current generation did not have. */
  synchronized int put(long[] hashes, int count) {
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

  /** The generation that has just passed its capacity; given to one caller only. */
  @Nullable Live<K> takeOverfull() {
    if (overfull == null) {
      return null;
    }
    synchronized (this) {
      Live<K> passed = overfull;
      overfull = null;
      return passed;
    }
  }

  /** How many keys the next generation must have room for, as far as is known. */
  synchronized long knownKeys() {
    Live<K> live = current;
    if (live == null) {
      return 0;
    }
    // What has outgrown its room goes on growing: otherwise, without headroom, each new key would
    // ask for another build.
    return live.keys > live.capacity ? live.keys + live.keys / 4 : live.keys;
  }

  /** Lets puts go into a new generation from now on, and tells what was put before. */
  synchronized List<RecentPuts.Part> install(Live<K> live) {
    scanBegan = options.clockwork().nanoTime();
    recent.forgetBefore(scanBegan - options.settle().toNanos());
    building = live;
    return recent.snapshot();
  }

  /** Lets go of a generation that will not answer. */
  synchronized void uninstall() {
    scanBegan = null;
    building = null;
  }

  /**
   * Lets the installed generation answer.
   *
   * @return one that will never answer again, if there is one
   */
  synchronized @Nullable Live<K> swap(
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

  /** Two generations: one answers again, the other never will. */
  record RolledBack<K>(Live<K> current, Live<K> dropped) {}

  /** Lets the generation before answer again; null if there is none. */
  synchronized @Nullable RolledBack<K> rollBack() {
    Live<K> back = previous;
    Live<K> dropped = current;
    if (back == null || dropped == null || back.broken != null) {
      return null;
    }
    current = back;
    previous = null;
    return new RolledBack<>(back, dropped);
  }

  /**
   * Lets nothing answer any more.
   *
   * @return the generations that did, or could have
   */
  synchronized List<Live<K>> close() {
    List<Live<K>> dropped = new ArrayList<>();
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
    recent.clear();
    return dropped;
  }
}
