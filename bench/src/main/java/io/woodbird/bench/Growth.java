package io.woodbird.bench;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How long single puts take while a filter grows from nothing.
 *
 * @param keys how many are put
 * @param rounds how many JVMs do it, one after another
 */
record Growth(long keys, int rounds) implements Section {
  /*
   * Every put is timed. A JVM that collects garbage pauses now and then for reasons of its own, so by
   * default it does not collect (Epsilon): what a filter of ten million keys leaves behind fits the
   * heap. The system may still take the core away; so the time that the thread itself worked stands
   * beside the time on the wall, which is judged.
   */
  private static final double MOST_MILLIS = 5;
  private static final long WARM_KEYS = 2_000_000;

  /** Bucket i has the puts below 2^i microseconds that are not in an earlier one. */
  private static final int BUCKETS = 24;

  @Override
  public String name() {
    return "growing";
  }

  @Override
  public String title() {
    return "Single puts while a filter grows from nothing";
  }

  @Override
  public int seconds() {
    return 60;
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    List<String> jvm = new ArrayList<>(List.of("-Xms3g", "-Xmx3g", "-XX:+AlwaysPreTouch"));
    if (forks.options().stream().noneMatch(option -> option.endsWith("GC"))) {
      jvm.addAll(List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"));
    }
    Map<String, List<Double>> longest = new LinkedHashMap<>();
    Map<String, List<Double>> counts = new LinkedHashMap<>();
    for (int round = 1; round <= rounds; round++) {
      var lines = forks.run(jvm, Growth.class, keys);
      for (String clock : List.of("wall", "own")) {
        double most = lines.get("longest-" + clock).get(0);
        longest.computeIfAbsent(clock, c -> new ArrayList<>()).add(most);
        counts.put(clock, lines.get(clock));
        forks.progress().say("longest put, %s time: %.3f ms", clock, most);
      }
    }
    longest.forEach(
        (clock, values) ->
            document.add(new Row("woodbird-growing", "longestPut", "ms", at(clock), values)));
    counts.forEach(
        (clock, values) ->
            document.add(
                new Row("woodbird-growing", "putsBelowPowersOf2", "us", at(clock), values)));
    List<Double> wall = longest.get("wall");
    String promise = String.format(Locale.ROOT, "longest put, growing to %,d keys", keys);
    document.add(
        Verdict.atMost(promise, " ms", MOST_MILLIS, Sample.median(wall), Verdict.range(wall)));
  }

  private Map<String, Object> at(String clock) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("n", keys);
    at.put("clock", clock);
    return at;
  }

  /** Puts the keys; the only argument is how many. */
  public static void main(String[] args) {
    long keys = Long.parseLong(args[0]);
    new Timed().fill(Math.min(keys, WARM_KEYS)); // Until put and growth are compiled.
    Timed timed = new Timed();
    timed.fill(keys);
    System.out.print(Forks.line("wall", counts(timed.wall)));
    System.out.print(Forks.line("own", counts(timed.own)));
    System.out.print(Forks.line("longest-wall", timed.longestWall / 1e6));
    System.out.print(Forks.line("longest-own", timed.longestOwn / 1e6));
    System.out.print(Forks.line("fresh", timed.fresh));
  }

  private static List<Double> counts(long[] counts) {
    return Arrays.stream(counts).asDoubleStream().boxed().toList();
  }

  /** A filter and the times of its puts. */
  private static final class Timed {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final MutableFilter<Long> filter = Woodbird.growing(Keys.longs()).fpp(0.01).build();
    private final long[] wall = new long[BUCKETS];
    private final long[] own = new long[BUCKETS];
    private long longestWall;
    private long longestOwn;
    private long fresh;

    void fill(long keys) {
      for (long key = 0; key < keys; key++) {
        long hash = filter.hashOfLong(key);
        long ownStart = THREADS.getCurrentThreadCpuTime();
        long start = System.nanoTime();
        fresh += filter.putHash(hash) ? 1 : 0;
        long nanos = System.nanoTime() - start;
        long ownNanos = THREADS.getCurrentThreadCpuTime() - ownStart;
        wall[bucket(nanos)]++;
        own[bucket(ownNanos)]++;
        longestWall = Math.max(longestWall, nanos);
        longestOwn = Math.max(longestOwn, ownNanos);
      }
    }

    private static int bucket(long nanos) {
      return Math.min(BUCKETS - 1, 64 - Long.numberOfLeadingZeros(nanos / 1000));
    }
  }
}
