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
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Time to ask about one long. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 3, jvmArgsAppend = "-Xmx8g")
public class LookupBench {
  @Param({
    "WOODBIRD",
    "WOODBIRD_BATCH",
    "WOODBIRD_CLASSIC",
    "GUAVA",
    "FASTFILTER_BLOCKED",
    "FASTFILTER_BLOOM",
    "FASTFILTER_XOR8",
    "SPARK",
    "DATASKETCHES",
    "COMMONS",
    "HASHSET"
  })
  RivalKind rival;

  @Param({"100000", "10000000", "100000000"})
  long n;

  @Param Workload workload;

  private Walk<long[]> walk;

  @Setup
  public void fill() {
    walk = new Walk<>(KeyKind.LONGS, rival, n, workload);
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
