package io.woodbird.bench;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.io.Reader;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/**
 * How long single puts take while a filter grows from nothing.
 *
 * @param keys how many are put
 * @param rounds how many JVMs do it, one after another
 */
record Growth(long keys, int rounds) {
  /*
   * Every put is timed. A JVM that collects garbage pauses now and then for reasons of its own, so by
   * default it does not collect (Epsilon): what a filter of ten million keys leaves behind fits the
   * heap. The system may still take the core away; so the time that the thread itself worked stands
   * beside the time on the wall, and is judged: one thread that puts waits for nobody. With another
   * collector, --jvm -XX:+UseG1GC, its pauses are on the wall, and are counted.
   */
  static final String NAME = "growing";

  private static final double MOST_MILLIS = 5;
  private static final long WARM_KEYS = 2_000_000;

  /** Bucket i has the puts below 2^i microseconds that are not in an earlier one. */
  private static final int BUCKETS = 24;

  /** Measures in JVMs of their own, prints, and judges; nothing if there are no rounds. */
  List<Verdict> measure(List<String> jvmOptions) throws IOException, InterruptedException {
    List<Double> longest = new ArrayList<>();
    for (int round = 1; round <= rounds; round++) {
      Properties lines = fork(jvmOptions);
      longest.add(Double.parseDouble(lines.getProperty("longestOwn")));
      print(round, lines);
    }
    if (rounds == 0) {
      return List.of();
    }
    String promise = String.format(Locale.ROOT, "longest put, own time, growing to %,d keys", keys);
    return List.of(
        Verdict.atMost(
            promise, " ms", MOST_MILLIS, Sample.median(longest), Verdict.range(longest)));
  }

  private Properties fork(List<String> jvmOptions) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xms3g", "-Xmx3g", "-XX:+AlwaysPreTouch"));
    if (jvmOptions.stream().noneMatch(option -> option.endsWith("GC"))) {
      command.addAll(List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC"));
    }
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Growth.class.getName()));
    command.add(String.valueOf(keys));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Properties lines = new Properties();
    try (Reader reader = process.inputReader()) {
      lines.load(reader);
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IllegalStateException("the growing JVM ended with exit code " + code);
    }
    return lines;
  }

  private static void print(int round, Properties lines) {
    System.out.printf(
        "%ngrowing: %s keys, JVM %d, %s%n%-14s%14s%14s%n",
        lines.getProperty("keys"),
        round,
        lines.getProperty("pauses"),
        "a put below",
        "wall",
        "own");
    String[] wall = lines.getProperty("wall").split(",", -1);
    String[] own = lines.getProperty("own").split(",", -1);
    for (int i = 0; i < BUCKETS; i++) {
      if (!wall[i].equals("0") || !own[i].equals("0")) {
        System.out.printf("%8d us   %14s%14s%n", 1L << i, wall[i], own[i]);
      }
    }
    System.out.printf(
        "%-14s%11s ms%11s ms%n",
        "longest", lines.getProperty("longestWall"), lines.getProperty("longestOwn"));
  }

  /** Puts the keys; the only argument is how many. */
  public static void main(String[] args) {
    long keys = Long.parseLong(args[0]);
    new Timed().fill(Math.min(keys, WARM_KEYS)); // Until put and growth are compiled.
    Timed timed = new Timed();
    timed.fill(keys);
    long pauses = 0;
    long millis = 0;
    StringBuilder names = new StringBuilder();
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      names.append(names.isEmpty() ? "" : " and ").append(bean.getName());
      pauses += bean.getCollectionCount();
      millis += bean.getCollectionTime();
    }
    System.out.printf(
        Locale.ROOT,
        "keys=%,d%npauses=%s: %d collections, %d ms%nwall=%s%nown=%s%n",
        keys,
        names,
        pauses,
        millis,
        joined(timed.wall),
        joined(timed.own));
    System.out.printf(
        Locale.ROOT,
        "longestWall=%.3f%nlongestOwn=%.3f%nfresh=%d%n",
        timed.longestWall / 1e6,
        timed.longestOwn / 1e6,
        timed.fresh);
  }

  private static String joined(long[] counts) {
    StringBuilder text = new StringBuilder();
    for (long count : counts) {
      text.append(text.isEmpty() ? "" : ",").append(count);
    }
    return text.toString();
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
        long hash = filter.hashOf(key);
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
