package io.woodbird.bench;

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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time to put one new long, averaged from the first key to the n-th, in one thread.
 *
 * <p>Puts of Woodbird and Guava are thread-safe, those of the others are not.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
// 100 million keys take from 3 to 60 s, and an iteration should see a filter both empty and full.
@Measurement(iterations = 3, time = 20)
@Fork(value = 3, jvmArgsAppend = "-Xmx8g")
public class PutBench {
  /** Keys per invocation; divides every n. */
  static final int SLICE = 100_000;

  @Param({
    "WOODBIRD",
    "WOODBIRD_CLASSIC",
    "GUAVA",
    "FASTFILTER_BLOCKED",
    "FASTFILTER_BLOOM",
    "SPARK",
    "DATASKETCHES",
    "COMMONS",
    "HASHSET"
  })
  RivalKind rival;

  @Param({"100000", "10000000", "100000000"})
  long n;

  private Rival<long[]> set;
  private long done;
  private long[] keys;

  @Setup
  public void box() {
    Boxes.warm();
  }

  /** Makes the next keys, and an empty set when the last one is full. */
  @Setup(Level.Invocation)
  public void next() {
    if (set == null || done == n) {
      set = null; // The old one may go before the new one comes.
      set = rival.longs(n);
      done = 0;
    }
    long[] ids = new long[SLICE];
    for (int i = 0; i < SLICE; i++) {
      ids[i] = done + i;
    }
    keys = KeyKind.LONGS.keys().apply(ids);
    done += SLICE;
  }

  @Benchmark
  @OperationsPerInvocation(SLICE)
  public Rival<long[]> put() {
    set.putAll(keys, 0, SLICE);
    return set;
  }
}
