package io.woodbird.bench;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.guard.FollowingFilter;
import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/** Asks a filter or a guard, alone in its JVM. {@link GuardSection} starts it. */
final class GuardProbe {
  private static final int POOL = 1 << 16;
  private static final int PASSES = 5;

  private GuardProbe() {}

  /** The arguments are n, the subject, the workload, the effort. */
  public static void main(String[] args) {
    long n = Long.parseLong(args[0]);
    Workload workload = Workload.of(args[2]);
    double effort = Double.parseDouble(args[3]);
    Long[] keys = new Long[POOL];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < POOL; i++) {
      keys[i] = random.nextLong(n) + (workload == Workload.HIT ? 0 : n);
    }
    var filter = Woodbird.bloom(Keys.longs(), n).fpp(0.001).build();
    LongStream.range(0, n).forEach(filter::putLong);
    Optional<String> row = Optional.of("row");
    switch (args[1]) {
      case "filter" -> time(keys, key -> filter.mightContain(key), effort);
      case "guard" -> timeGuard(keys, filter, row, effort);
      case "guard-rebuilding" -> {
        try (RebuildingFilter<Long> rebuilding =
            RebuildingFilter.of(Keys.longs(), () -> LongStream.range(0, n).boxed())
                .fpp(0.001)
                .start()) {
          rebuilding.rebuildNow().join();
          timeGuard(keys, rebuilding, row, effort);
        }
      }
      case "guard-following" -> {
        try (FollowingFilter<Long> following =
            FollowingFilter.over(filter, asked -> key -> true).start()) {
          timeGuard(keys, following, row, effort);
        }
      }
      default -> throw new IllegalArgumentException("unknown subject: " + args[1]);
    }
  }

  private static void timeGuard(
      Long[] keys, Filter<Long> filter, Optional<String> row, double effort) {
    Guard<Long, String> guard = Guard.of(filter, key -> row);
    time(keys, key -> guard.get(key).isPresent(), effort);
  }

  private static void time(Long[] keys, Predicate<Long> question, double effort) {
    long maybes = 0;
    long warmUntil = System.nanoTime() + (long) (1e9 * effort);
    do {
      maybes += walk(keys, question);
    } while (System.nanoTime() < warmUntil);
    List<Double> nanos = new ArrayList<>();
    for (int pass = 0; pass < PASSES; pass++) {
      long start = System.nanoTime();
      long walks = 0;
      do {
        maybes += walk(keys, question);
        walks++;
      } while (System.nanoTime() - start < 0.15e9 * effort);
      nanos.add((System.nanoTime() - start) / ((double) walks * POOL));
    }
    System.out.print(Forks.line("askNanos", nanos));
    System.out.print(Forks.line("maybes", maybes));
  }

  private static int walk(Long[] keys, Predicate<Long> question) {
    int count = 0;
    for (Long key : keys) {
      count += question.test(key) ? 1 : 0;
    }
    return count;
  }
}
