package io.woodbird.bench;

import io.woodbird.Filter;
import io.woodbird.FrozenMap;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
import org.openjdk.jmh.annotations.Warmup;

/** A look-up in a map, beside one in a frozen filter of as many bits. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgsAppend = {"-Xms3g", "-Xmx3g"})
public class MapBench {
  private static final int STEP = 1 << 12;
  private static final int POOL = 1 << 20;
  private static final int CHECK_BITS = 7;

  @Param({"1000000", "10000000"})
  int keys;

  @Param({"1", "4", "16"})
  int valueBits;

  private Filter<Long> filter;
  private FrozenMap<Long> map;
  private long[] present;
  private long[] absent;
  private int next;

  @Setup
  public void build() {
    long[] all = new SplittableRandom(1).longs(keys).distinct().toArray();
    long mask = (1L << valueBits) - 1;
    int bits = CHECK_BITS + valueBits;
    filter =
        Woodbird.frozen(Keys.longs())
            .fpp(Math.pow(2, -bits))
            .seed(1)
            .buildFrom(Arrays.stream(all).iterator());
    map =
        Woodbird.frozenMap(Keys.longs())
            .valueBits(valueBits)
            .fpp(Math.pow(2, -CHECK_BITS))
            .seed(1)
            .buildFrom(
                IntStream.range(0, all.length)
                    .mapToObj(i -> Map.entry(all[i], i & mask))
                    .iterator());
    SplittableRandom random = new SplittableRandom(2);
    present = random.ints(POOL, 0, all.length).mapToLong(i -> all[i]).toArray();
    absent = random.longs(POOL).toArray();
  }

  private int start() {
    next = next + STEP & POOL - 1;
    return next;
  }

  private long filter(long[] asked) {
    long sum = 0;
    int from = start();
    for (int i = from; i < from + STEP; i++) {
      sum += filter.mightContainLong(asked[i]) ? 1 : 0;
    }
    return sum;
  }

  private long map(long[] asked) {
    long sum = 0;
    int from = start();
    for (int i = from; i < from + STEP; i++) {
      sum += map.getByHash(map.hashOfLong(asked[i])).orElse(0);
    }
    return sum;
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  public long filterHere() {
    return filter(present);
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  public long filterAbsent() {
    return filter(absent);
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  public long mapHere() {
    return map(present);
  }

  @Benchmark
  @OperationsPerInvocation(STEP)
  public long mapAbsent() {
    return map(absent);
  }
}
