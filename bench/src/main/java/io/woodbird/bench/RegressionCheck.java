package io.woodbird.bench;

import static io.woodbird.bench.rival.RivalKind.FASTFILTER_BLOCKED;
import static io.woodbird.bench.rival.RivalKind.FASTFILTER_XOR8;
import static io.woodbird.bench.rival.RivalKind.GUAVA;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_BATCH;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_FUSE;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_MAPPED;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_QUOTIENT;
import static io.woodbird.bench.rival.RivalKind.WOODBIRD_RIBBON_8;

import io.woodbird.bench.rival.RivalKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** A few ratios, measured in half a minute, that fall when we become much slower. */
final class RegressionCheck {
  /*
   * No time is judged, only ratios of two times taken right after one another, each in a JVM of its
   * own, and of several rounds the median. The bounds lie below half of what a quiet machine gives: a
   * neighbour who takes 30 % from one side and adds 30 % to the other moves a ratio by 1.9. What is
   * clear after one round is left alone; the rest is measured three and then seven times. So this
   * finds what became some three times slower; RegressionTest proves it with a filter that is slow on
   * purpose. What is promised to the percent is judged by the full run, on a quiet machine.
   */
  private static final int[] ROUNDS = {1, 3, 7};

  /** So far above its bound a ratio is clear. */
  private static final double CLEAR = 1.3;

  private static final double EFFORT = 0.25;
  private static final long CACHE = 100_000;

  /** Just above the 16 MiB from which on a file is mapped. */
  private static final long MAPPED = 14_000_000;

  /**
   * A ratio of their time by ours.
   *
   * @param least the bound
   */
  record Ratio(long n, RivalKind ours, RivalKind theirs, Workload workload, double least) {
    Cell ourCell() {
      return new Cell(KeyKind.LONGS, n, ours, workload);
    }

    Cell theirCell() {
      return ourCell().of(theirs);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT, "%s / %s, %s, %,d", theirs.label(), ours.label(), workload.label(), n);
    }
  }

  static final List<Ratio> RATIOS =
      List.of(
          new Ratio(CACHE, WOODBIRD, FASTFILTER_BLOCKED, Workload.MIX, 0.85),
          new Ratio(CACHE, WOODBIRD, GUAVA, Workload.MIX, 5),
          new Ratio(CACHE, WOODBIRD_BATCH, GUAVA, Workload.MISS, 5),
          new Ratio(CACHE, WOODBIRD_FUSE, FASTFILTER_XOR8, Workload.MIX, 0.4),
          new Ratio(CACHE, WOODBIRD_RIBBON_8, WOODBIRD_FUSE, Workload.MIX, 0.15),
          new Ratio(CACHE, WOODBIRD_QUOTIENT, WOODBIRD, Workload.MIX, 0.14),
          new Ratio(MAPPED, WOODBIRD_MAPPED, WOODBIRD, Workload.MIX, 0.2));

  private final Forks theirForks;
  private final Forks ourForks;

  /** Makes one. */
  RegressionCheck() {
    this(1);
  }

  /**
   * Makes one that should find something.
   *
   * @param slow how often we ask ourselves each question
   */
  RegressionCheck(int slow) {
    Progress quiet = new Progress(List.of(), 1);
    theirForks = new Forks(List.of(), quiet);
    ourForks = new Forks(List.of("-Dwoodbird.bench.slow=" + slow), quiet);
  }

  /** Measures; returns the median of each. */
  Map<Ratio, Double> measure(List<Ratio> ratios) throws IOException, InterruptedException {
    Map<Ratio, List<Double>> found = new LinkedHashMap<>();
    ratios.forEach(ratio -> found.put(ratio, new ArrayList<>()));
    for (int rounds : ROUNDS) {
      List<Ratio> unclear =
          ratios.stream().filter(ratio -> !clear(ratio, found.get(ratio))).toList();
      for (int round = rounds / 2; round < rounds; round++) {
        Map<String, Double> nanos = new TreeMap<>();
        for (Ratio ratio : unclear) {
          double theirs = once(nanos, theirForks, ratio.theirCell());
          double ours = once(nanos, ourForks, ratio.ourCell());
          found.get(ratio).add(theirs / ours);
        }
      }
    }
    Map<Ratio, Double> medians = new LinkedHashMap<>();
    found.forEach((ratio, values) -> medians.put(ratio, Sample.median(values)));
    return medians;
  }

  private static boolean clear(Ratio ratio, List<Double> values) {
    return Sample.median(values) >= CLEAR * ratio.least();
  }

  /** Measures a cell, once per round and side. */
  private double once(Map<String, Double> nanos, Forks forks, Cell cell)
      throws IOException, InterruptedException {
    String key = (forks == ourForks ? "ours " : "theirs ") + cell;
    Double known = nanos.get(key);
    if (known == null) {
      var lines =
          forks.run(
              cell.jvmOptions(),
              Probe.class,
              cell.kind().name(),
              cell.n(),
              cell.rival().label(),
              cell.workload().label(),
              EFFORT);
      known = Sample.of(lines, cell.workload().label() + ".").ask();
      nanos.put(key, known);
    }
    return known;
  }
}
