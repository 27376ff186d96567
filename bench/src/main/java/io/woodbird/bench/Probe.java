package io.woodbird.bench;

import com.sun.management.ThreadMXBean;
import io.woodbird.bench.rival.Removing;
import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** Measures one {@link Cell}, alone in its JVM. {@link Report} starts it. */
final class Probe<A> {
  /*
   * One rival and one workload per JVM: every call site stays monomorphic, and the compiler sees the
   * branches of this workload only, for each rival alike. The order:
   *
   *   1. small sets are filled until put is compiled, then sets of n keys, which is timed (a small
   *      file is not mapped, and would teach the compiler other buffers: no small mapped sets)
   *   2. the pool is walked until questions are compiled, then in timed passes
   *   3. only then keys are checked and false positives counted, as that changes the branches
   *
   * Bytes are those that this thread allocated, by the JVM's own count, while it was timed.
   */
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final int WARM_WALKS = 4;
  private static final int PASSES = 5;
  private static final int FILLS = 5;

  /** From here on one fill is long enough to be timed, and too long to be repeated. */
  private static final long LARGE = 1_000_000;

  private final KeyKind<A> kind;
  private final long n;
  private final RivalKind who;
  private final long warmNanos;
  private final long passNanos;
  private long maybes;

  /**
   * Makes one.
   *
   * @param effort 1 to measure; less only to see that it runs
   */
  Probe(KeyKind<A> kind, long n, RivalKind who, double effort) {
    this.kind = kind;
    this.n = n;
    this.who = who;
    warmNanos = (long) (1e9 * effort);
    passNanos = (long) (0.15e9 * effort);
  }

  /** Measures; the arguments are the kind of keys, n, the rival, the workload, the effort. */
  public static void main(String[] args) {
    KeyKind<?> kind = args[0].equals(KeyKind.LONGS.name()) ? KeyKind.LONGS : KeyKind.STRINGS;
    long n = Long.parseLong(args[1]);
    Workload workload = Workload.of(args[3]);
    double effort = Double.parseDouble(args[4]);
    Probe<?> probe = new Probe<>(kind, n, RivalKind.of(args[2]), effort);
    System.out.print(probe.measure(workload).toLines());
    System.out.println("maybes=" + probe.maybes);
  }

  Sample measure(Workload workload) {
    Boxes.warm();
    long warmUntil = System.nanoTime() + warmNanos / 2;
    while (!who.mapped() && System.nanoTime() < warmUntil) {
      long few = Math.min(n, 100_000);
      emptyAndClose(fillNew(few, new ArrayList<>(), new ArrayList<>()), few, new ArrayList<>());
    }
    List<Double> putNanos = new ArrayList<>();
    List<Double> putBytes = new ArrayList<>();
    List<Double> removeNanos = new ArrayList<>();
    for (int i = 1; i < FILLS && n < LARGE; i++) {
      emptyAndClose(fillNew(n, putNanos, putBytes), n, removeNanos);
    }
    try (Rival<A> rival = fillNew(n, putNanos, putBytes)) {
      A pool = kind.keys().apply(workload.ids(n, kind.poolSize(n)));
      int walks = walksPerPass(rival, pool);
      List<Double> askNanos = new ArrayList<>();
      List<Double> askBytes = new ArrayList<>();
      for (int i = 0; i < PASSES; i++) {
        pass(rival, pool, walks, askNanos, askBytes);
      }
      Filling.requireAllKeys(rival, kind, n);
      double fpp = Filling.fpp(rival, kind, n, Filling.TRIALS);
      empty(rival, n, removeNanos);
      return new Sample(
          askNanos,
          putNanos,
          removeNanos,
          fpp,
          (double) rival.bits() / n,
          Sample.median(askBytes),
          Sample.median(putBytes));
    }
  }

  private Rival<A> fillNew(long count, List<Double> nanos, List<Double> bytes) {
    Rival<A> rival = kind.rival().apply(who, count);
    Filling.Cost cost = Filling.fill(rival, kind, count);
    nanos.add((double) cost.nanos() / count);
    bytes.add(cost.bytesPerKey());
    return rival;
  }

  /** Removes all keys, if the rival can. */
  private void empty(Rival<A> rival, long count, List<Double> nanos) {
    if (rival instanceof Removing<A> removing) {
      nanos.add((double) Filling.empty(removing, kind, count) / count);
    }
  }

  private void emptyAndClose(Rival<A> rival, long count, List<Double> nanos) {
    empty(rival, count, nanos);
    rival.close();
  }

  /** Walks until the code is warm; returns how many walks make a pass. */
  private int walksPerPass(Rival<A> rival, A pool) {
    long warmUntil = System.nanoTime() + warmNanos;
    long nanos = 0;
    for (int i = 0; i < WARM_WALKS || System.nanoTime() < warmUntil; i++) {
      long start = System.nanoTime();
      maybes += walk(rival, pool);
      nanos = System.nanoTime() - start;
    }
    return (int) (passNanos / nanos) + 1;
  }

  private void pass(Rival<A> rival, A pool, int walks, List<Double> nanos, List<Double> bytes) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    long start = System.nanoTime();
    for (int i = 0; i < walks; i++) {
      maybes += walk(rival, pool);
    }
    long end = System.nanoTime();
    long after = THREADS.getCurrentThreadAllocatedBytes();
    double questions = (double) walks * kind.poolSize(n);
    nanos.add((end - start) / questions);
    bytes.add((after - before) / questions);
  }

  private int walk(Rival<A> rival, A pool) {
    int size = kind.poolSize(n);
    int count = 0;
    for (int from = 0; from < size; from += Rival.CHUNK) {
      count += rival.count(pool, from, from + Rival.CHUNK);
    }
    return count;
  }
}
