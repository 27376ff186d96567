package io.woodbird.bench;

import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.util.Locale;

/** A full rival and a large pool of keys to ask it about, {@link #STEP} at a time. For JMH. */
final class Walk<A> implements AutoCloseable {
  /** Divides every pool size. */
  static final int STEP = 1 << 16;

  private final KeyKind<A> kind;
  private final RivalKind who;
  private final long n;
  private final Rival<A> rival;
  private final A pool;
  private final int poolSize;
  private int next;

  Walk(KeyKind<A> kind, RivalKind who, long n, Workload workload) {
    this.kind = kind;
    this.who = who;
    this.n = n;
    Boxes.warm();
    rival = kind.rival().apply(who, n);
    Filling.fill(rival, kind, n);
    poolSize = kind.poolSize(n);
    pool = kind.keys().apply(workload.ids(n, poolSize));
  }

  /** Asks about the next {@link #STEP} keys; returns how many may be here. */
  int step() {
    int count = 0;
    int end = next + STEP;
    for (int from = next; from < end; from += Rival.CHUNK) {
      count += rival.count(pool, from, from + Rival.CHUNK);
    }
    next = end == poolSize ? 0 : end;
    return count;
  }

  /**
   * Prints the fpp and the size. At the end, because questions of another workload before the
   * measured ones would teach the compiler other branches.
   */
  @Override
  public void close() {
    Filling.requireAllKeys(rival, kind, n);
    System.out.printf(
        Locale.ROOT,
        "%n%s, %,d %s: fpp %.3f %%, %.2f bits per key%n",
        who.label(),
        n,
        kind.name(),
        100 * Filling.fpp(rival, kind, n, Filling.TRIALS),
        (double) rival.bits() / n);
    rival.close();
  }
}
