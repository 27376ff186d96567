package io.woodbird.bench;

import com.sun.management.ThreadMXBean;
import io.woodbird.bench.rival.Removing;
import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures {@link Cell}s of one rival, alone in its JVM. {@link Questions} starts it. */
final class Probe<A> {
  /*
   * One rival per JVM: every call site stays monomorphic. With one workload the compiler sees the
   * branches of this one only, for each rival alike; with several it sees the first one first, which
   * should be the mix. The order:
   *
   *   1. small sets are filled until put is compiled, then sets of n keys, which is timed (a small
   *      file is not mapped, and would teach the compiler other buffers: no small mapped sets)
   *   2. for each workload, the pool is walked until questions are compiled, then in timed passes
   *   3. only then keys are checked and false positives counted, as that changes the branches
   *
   * Bytes are those that this thread allocated, by the JVM's own count, while it was timed.
   */
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private static final int WARM_WALKS = 4;
  private static final int PASSES = 5;
  private static final int LONG_PASSES = 3;
  private static final int FILLS = 5;

  /** From here on one fill is long enough to be timed, and too long to be repeated. */
  private static final long LARGE = 1_000_000;

  /** Where a question takes a microsecond. */
  private static final int FEW_TRIALS = 1 << 18;

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

  /** Measures; the arguments are the kind of keys, n, the rival, the workloads, the effort. */
  public static void main(String[] args) {
    KeyKind<?> kind = args[0].equals(KeyKind.LONGS.name()) ? KeyKind.LONGS : KeyKind.STRINGS;
    long n = Long.parseLong(args[1]);
    List<Workload> workloads =
        args[3].isEmpty()
            ? List.of()
            : Arrays.stream(args[3].split(",", -1)).map(Workload::of).toList();
    double effort = Double.parseDouble(args[4]);
    Probe<?> probe = new Probe<>(kind, n, RivalKind.of(args[2]), effort);
    probe.measure(workloads).forEach((prefix, sample) -> System.out.print(sample.toLines(prefix)));
    System.out.print(Forks.line("maybes", probe.maybes));
  }

  /** Measures: a sample of the filling under "", and one of each workload under "label.". */
  Map<String, Sample> measure(List<Workload> workloads) {
    Boxes.warm();
    long warmUntil = System.nanoTime() + (who.frozen() ? 2 : 1) * warmNanos / 2;
    while (!who.mapped() && System.nanoTime() < warmUntil) {
      // Keys that are taken all at once go other ways if they are many.
      long few = Math.min(n, who.frozen() ? 10_000_000 : 100_000);
      emptyAndClose(fillNew(few, new Fills()), few, new Fills());
    }
    Fills fills = new Fills();
    for (int i = 1; i < FILLS && n < LARGE; i++) {
      Forks.awaitTurn();
      emptyAndClose(fillNew(n, fills), n, fills);
    }
    Forks.awaitTurn();
    try (Rival<A> rival = slowed(fillNew(n, fills))) {
      List<List<Double>> nanos = new ArrayList<>();
      List<List<Double>> bytes = new ArrayList<>();
      for (Workload workload : workloads) {
        A pool = kind.keys().apply(workload.ids(n, kind.poolSize(n)));
        int walks = walksPerPass(rival, pool, nanos.isEmpty() ? warmNanos : warmNanos / 3);
        List<Double> askNanos = new ArrayList<>();
        List<Double> askBytes = new ArrayList<>();
        // a walk that is longer than a pass, millions of slow questions, needs less repetition
        for (int i = 0; i < (walks > 1 ? PASSES : LONG_PASSES); i++) {
          Forks.awaitTurn();
          pass(rival, pool, walks, askNanos, askBytes);
        }
        nanos.add(askNanos);
        bytes.add(askBytes);
      }
      Filling.requireAllKeys(rival, kind, n);
      double fpp = Filling.fpp(rival, kind, n, who.slowToAsk() ? FEW_TRIALS : Filling.TRIALS);
      double bitsPerKey = (double) rival.bits() / n;
      empty(rival, n, fills);
      Map<String, Sample> samples = new LinkedHashMap<>();
      samples.put("", fills.sample(List.of(), fpp, bitsPerKey, 0));
      for (int i = 0; i < workloads.size(); i++) {
        double askBytes = Sample.median(bytes.get(i));
        Sample sample = fills.sample(nanos.get(i), fpp, bitsPerKey, askBytes);
        samples.put(workloads.get(i).label() + ".", sample);
      }
      return samples;
    }
  }

  /** What filling and emptying took. */
  private static final class Fills {
    private final List<Double> putNanos = new ArrayList<>();
    private final List<Double> cpuNanos = new ArrayList<>();
    private final List<Double> putBytes = new ArrayList<>();
    private final List<Double> removeNanos = new ArrayList<>();

    Sample sample(List<Double> askNanos, double fpp, double bitsPerKey, double askBytes) {
      double bytes = Sample.median(putBytes);
      return new Sample(
          askNanos, putNanos, cpuNanos, removeNanos, fpp, bitsPerKey, askBytes, bytes);
    }
  }

  /** The control of the regression check: ours made slow on purpose. */
  private Rival<A> slowed(Rival<A> rival) {
    int times = Integer.getInteger("woodbird.bench.slow", 1);
    return times == 1 || !who.ours() ? rival : new Slowed<>(rival, times);
  }

  private Rival<A> fillNew(long count, Fills fills) {
    Rival<A> rival = kind.rival().apply(who, count);
    Filling.Cost cost = Filling.fill(rival, kind, count);
    fills.putNanos.add((double) cost.nanos() / count);
    fills.cpuNanos.add((double) cost.cpuNanos() / count);
    fills.putBytes.add(cost.bytesPerKey());
    return rival;
  }

  /** Removes all keys, if the rival can. */
  private void empty(Rival<A> rival, long count, Fills fills) {
    if (rival instanceof Removing<A> removing) {
      fills.removeNanos.add((double) Filling.empty(removing, kind, count) / count);
    }
  }

  private void emptyAndClose(Rival<A> rival, long count, Fills fills) {
    empty(rival, count, fills);
    rival.close();
  }

  /** Walks until the code is warm; returns how many walks make a pass. */
  private int walksPerPass(Rival<A> rival, A pool, long warm) {
    long warmUntil = System.nanoTime() + warm;
    long nanos = 0;
    for (int i = 0; i < (n < LARGE ? WARM_WALKS : 1) || System.nanoTime() < warmUntil; i++) {
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
