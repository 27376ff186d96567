package io.woodbird.bench;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a guard costs over its filter, and a rebuilding filter over a plain one. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class GuardBench {
  private static final int POOL = 1 << 16;

  @Param({"100000"})
  long n;

  /** Keys that exist, or keys that do not: the attack. */
  @Param({"HIT", "MISS"})
  Workload workload;

  private final Long[] keys = new Long[POOL];
  private final Optional<String> row = Optional.of("row");
  private Filter<Long> plain;
  private RebuildingFilter<Long> rebuilding;
  private Guard<Long, String> guard;
  private Guard<Long, String> auditing;
  private Guard<Long, String> rebuildingGuard;

  /** A thread's place in the pool. */
  @State(Scope.Thread)
  public static class Place {
    int next;

    int step() {
      next = (next + 1) & (POOL - 1);
      return next;
    }
  }

  @Setup
  public void fill() {
    var filter = Woodbird.bloom(Keys.longs(), n).fpp(0.001).build();
    for (long key = 0; key < n; key++) {
      filter.putLong(key);
    }
    plain = filter;
    rebuilding =
        RebuildingFilter.of(Keys.longs(), () -> LongStream.range(0, n).boxed()).fpp(0.001).start();
    rebuilding.rebuildNow().join();
    guard = Guard.of(plain, key -> row);
    auditing = Guard.over(plain).audit(1e-6).loader(key -> row);
    rebuildingGuard = Guard.of(rebuilding, key -> row);
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < POOL; i++) {
      keys[i] = random.nextLong(n) + (workload == Workload.HIT ? 0 : n);
    }
  }

  @TearDown
  public void close() {
    rebuilding.close();
  }

  @Benchmark
  public boolean filter(Place place) {
    return plain.mightContain(keys[place.step()]);
  }

  @Benchmark
  public boolean rebuilding(Place place) {
    return rebuilding.mightContain(keys[place.step()]);
  }

  @Benchmark
  public Optional<String> guard(Place place) {
    return guard.get(keys[place.step()]);
  }

  @Benchmark
  public Optional<String> guardWithAudit(Place place) {
    return auditing.get(keys[place.step()]);
  }

  @Benchmark
  public Optional<String> guardOverRebuilding(Place place) {
    return rebuildingGuard.get(keys[place.step()]);
  }
}
