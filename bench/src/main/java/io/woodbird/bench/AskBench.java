package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Time to ask a full set about one key. The subclasses say which sets, and how large. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "-Xmx8g")
public abstract class AskBench<A> {
  @Param Workload workload;

  private Walk<A> walk;

  void fill(KeyKind<A> kind, RivalKind rival, long n) {
    walk = new Walk<>(kind, rival, n, workload);
  }

  @TearDown
  public void close() {
    walk.close();
  }

  @Benchmark
  @OperationsPerInvocation(Walk.STEP)
  public int ask() {
    return walk.step();
  }
}
