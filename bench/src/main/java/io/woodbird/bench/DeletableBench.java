package io.woodbird.bench;

import io.woodbird.bench.rival.Removing;
import io.woodbird.bench.rival.Rival;
import io.woodbird.bench.rival.RivalKind;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to ask, put and remove one long with filters whose keys can be removed, beside Bloom, in
 * cache.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "-Xmx2g")
public class DeletableBench {
  /** 100 thousand keys are in the cache of a core. */
  static final int KEYS = 100_000;

  private static final long[] ALL = keys();

  private static long[] keys() {
    long[] ids = new long[KEYS];
    for (int i = 0; i < KEYS; i++) {
      ids[i] = i;
    }
    return KeyKind.LONGS.keys().apply(ids);
  }

  /** A full filter that is asked. */
  @State(Scope.Thread)
  public static class Asked {
    @Param({"WOODBIRD", "WOODBIRD_QUOTIENT", "WOODBIRD_COUNTING"})
    RivalKind rival;

    @Param Workload workload;

    private Walk<long[]> walk;

    @Setup
    public void fill() {
      walk = new Walk<>(KeyKind.LONGS, rival, KEYS, workload);
    }

    @TearDown
    public void close() {
      walk.close();
    }
  }

  /** An empty filter for every call. */
  @State(Scope.Thread)
  public static class Empty {
    @Param({"WOODBIRD", "WOODBIRD_QUOTIENT", "WOODBIRD_COUNTING"})
    RivalKind rival;

    private Rival<long[]> set;

    @Setup(Level.Invocation)
    public void make() {
      set = rival.longs(KEYS);
    }
  }

  /** A full filter for every call. */
  @State(Scope.Thread)
  public static class Full {
    @Param({"WOODBIRD_QUOTIENT", "WOODBIRD_COUNTING"})
    RivalKind rival;

    private Removing<long[]> set;

    @Setup(Level.Invocation)
    public void fill() {
      set = (Removing<long[]>) rival.longs(KEYS);
      set.putAll(ALL, 0, KEYS);
    }
  }

  @Benchmark
  @OperationsPerInvocation(Walk.STEP)
  public int ask(Asked state) {
    return state.walk.step();
  }

  /** From the first key to the last that the filter is made for. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public Rival<long[]> put(Empty state) {
    state.set.putAll(ALL, 0, KEYS);
    return state.set;
  }

  /** From the full filter to the empty one. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public Rival<long[]> remove(Full state) {
    state.set.removeAll(ALL, 0, KEYS);
    return state.set;
  }
}
