package io.woodbird.bench;

import io.woodbird.bench.Plan.Section;
import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** All that was measured: for each cell, a sample per round. */
final class Results {
  /**
   * Bytes per call that count as none: the JVM's own bookkeeping now and then, and that of a window
   * at every seventh of its keys.
   */
  private static final double NO_BYTES = 0.02;

  private final Map<Cell, List<Sample>> samples = new LinkedHashMap<>();

  void add(Cell cell, Sample sample) {
    samples.computeIfAbsent(cell, c -> new ArrayList<>()).add(sample);
  }

  Map<Cell, List<Sample>> samples() {
    return samples;
  }

  /** One value for each round. */
  List<Double> values(Cell cell, ToDoubleFunction<Sample> value) {
    return samples.getOrDefault(cell, List.of()).stream()
        .map(sample -> value.applyAsDouble(sample))
        .toList();
  }

  /** The table of a section: nanoseconds, and beside them what they were bought with. */
  String table(Section section) {
    StringBuilder table = new StringBuilder();
    table.append(
        String.format(
            Locale.ROOT,
            "%n%s: %,d %s, ns per call (median of %d JVMs)%n%-24s",
            section.name(),
            section.n(),
            section.kind().name(),
            section.rounds(),
            ""));
    for (Workload workload : section.workloads()) {
      table.append(String.format("%9s", workload.label()));
    }
    table.append(
        String.format(
            "%10s%9s%9s%9s%9s%10s%n", "put", "remove", "B/ask", "B/put", "fpp %", "bits/key"));
    for (RivalKind rival : section.rivals()) {
      table.append(String.format("%-24s", rival.label()));
      List<Sample> all = new ArrayList<>();
      for (Workload workload : section.workloads()) {
        Cell cell = new Cell(section.kind(), section.n(), rival, workload);
        all.addAll(samples.getOrDefault(cell, List.of()));
        table.append(String.format(Locale.ROOT, "%9.1f", Sample.median(values(cell, Sample::ask))));
      }
      table.append(
          String.format(
              Locale.ROOT,
              "%9.1f%s%9s%9.2f%9.2f%9.3f%10.2f%n",
              median(all, Sample::put),
              rival.takesKeysOneByOne() ? " " : "*",
              removes(all),
              max(all, Sample::askBytes),
              max(all, Sample::putBytes),
              100 * median(all, Sample::fpp),
              median(all, Sample::bitsPerKey)));
    }
    return table.toString();
  }

  private static double median(List<Sample> all, ToDoubleFunction<Sample> value) {
    return Sample.median(all.stream().map(sample -> value.applyAsDouble(sample)).toList());
  }

  private static String removes(List<Sample> all) {
    boolean can = all.stream().anyMatch(sample -> !sample.removeNanos().isEmpty());
    return can ? String.format(Locale.ROOT, "%.1f", median(all, Sample::remove)) : "-";
  }

  private static double max(List<Sample> all, ToDoubleFunction<Sample> value) {
    return all.stream().mapToDouble(value).max().orElse(Double.NaN);
  }

  /** What holds for Woodbird in every cell: its fpp, its size, and that longs cost no garbage. */
  List<Verdict> standing() {
    List<Verdict> verdicts = new ArrayList<>();
    for (KeyKind<?> kind : List.of(KeyKind.LONGS, KeyKind.STRINGS)) {
      for (RivalKind rival : RivalKind.values()) {
        List<Sample> all = rival.ours() ? all(kind, rival) : List.of();
        if (all.isEmpty()) {
          continue;
        }
        String who = rival.label() + ", " + kind.name();
        verdicts.add(
            most("false positives: " + who, " %", 100 * fppBound(), all, Results::percent));
        verdicts.add(
            most("bits per key: " + who, "", rival.mostBitsPerKey(), all, Sample::bitsPerKey));
        if (kind.equals(KeyKind.LONGS)) {
          verdicts.add(most("bytes per question: " + who, " B", NO_BYTES, all, Sample::askBytes));
        }
        if (kind.equals(KeyKind.LONGS) && rival.takesKeysOneByOne()) {
          verdicts.add(most("bytes per put: " + who, " B", NO_BYTES, all, Sample::putBytes));
        }
      }
    }
    return verdicts;
  }

  private List<Sample> all(KeyKind<?> kind, RivalKind rival) {
    List<Sample> all = new ArrayList<>();
    samples.forEach(
        (cell, some) -> {
          if (cell.kind().equals(kind) && cell.rival() == rival) {
            all.addAll(some);
          }
        });
    return all;
  }

  private static double percent(Sample sample) {
    return 100 * sample.fpp();
  }

  private static Verdict most(
      String promise,
      String unit,
      double target,
      List<Sample> some,
      ToDoubleFunction<Sample> value) {
    List<Double> values = some.stream().map(sample -> value.applyAsDouble(sample)).toList();
    Verdict.Range range = Verdict.range(values);
    return Verdict.atMost(promise, unit, target, range.high(), range);
  }

  /** The promised fpp, and five standard deviations of its measurement. */
  private static double fppBound() {
    double fpp = RivalKind.FPP;
    return fpp + 5 * Math.sqrt(fpp * (1 - fpp) / Filling.TRIALS);
  }
}
