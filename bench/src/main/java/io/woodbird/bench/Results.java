package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** All that was measured: for each cell, a sample per round. */
final class Results {
  /**
   * Bytes per call that count as none: the JVM's own bookkeeping now and then, and that of a window
   * at every seventh of its keys.
   */
  private static final double NO_BYTES = 0.02;

  /** The system counts core time in hundredths of a second: too coarse for fewer keys. */
  private static final long ENOUGH_FOR_CPU = 1_000_000;

  /** From so many keys on, the size is promised. */
  private static final long ENOUGH_KEYS = 100_000;

  private final Map<Cell, List<Sample>> samples = new LinkedHashMap<>();
  private final Map<Cell, List<Sample>> fillings = new LinkedHashMap<>();

  void add(Cell cell, Sample sample) {
    samples.computeIfAbsent(cell, c -> new ArrayList<>()).add(sample);
  }

  /** One value for each round. */
  List<Double> values(Cell cell, ToDoubleFunction<Sample> value) {
    return samples.getOrDefault(cell, List.of()).stream()
        .map(sample -> value.applyAsDouble(sample))
        .toList();
  }

  /** Adds what filling took, and what the full set is like. */
  void addFilling(Cell any, Sample sample) {
    fillings.computeIfAbsent(any.of(Workload.MIX), c -> new ArrayList<>()).add(sample);
  }

  /** One value for each round. */
  List<Double> fillings(Cell cell, ToDoubleFunction<Sample> value) {
    return fillings.getOrDefault(cell.of(Workload.MIX), List.of()).stream()
        .map(sample -> value.applyAsDouble(sample))
        .toList();
  }

  /** Everything as rows: the questions first, then what the sets are like. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    samples.forEach(
        (cell, some) -> {
          Map<String, Object> at = at(cell);
          at.put("workload", cell.workload().label());
          rows.add(row(cell, "ask", "ns", at, some, Sample::ask));
        });
    fillings.forEach(
        (cell, some) -> {
          Map<String, Object> at = at(cell);
          boolean atOnce = cell.rival().frozen();
          rows.add(row(cell, atOnce ? "build" : "put", "ns", at, some, Sample::put));
          if (atOnce && cell.n() >= ENOUGH_FOR_CPU) {
            rows.add(row(cell, "buildCpu", "ns", at, some, Sample::cpu));
          } else if (!atOnce) {
            rows.add(row(cell, "putBytes", "B", at, some, Sample::putBytes));
          }
          if (some.stream().anyMatch(sample -> !sample.removeNanos().isEmpty())) {
            rows.add(row(cell, "remove", "ns", at, some, Sample::remove));
          }
          rows.add(row(cell, "fpp", "", at, some, Sample::fpp));
          rows.add(row(cell, "bitsPerKey", "bits", at, some, Sample::bitsPerKey));
        });
    return rows;
  }

  private static Map<String, Object> at(Cell cell) {
    Map<String, Object> at = new LinkedHashMap<>();
    at.put("keys", cell.kind().name());
    at.put("n", cell.n());
    return at;
  }

  private static Row row(
      Cell cell,
      String metric,
      String unit,
      Map<String, Object> at,
      List<Sample> some,
      ToDoubleFunction<Sample> value) {
    List<Double> values = some.stream().map(sample -> value.applyAsDouble(sample)).toList();
    return new Row(cell.rival().label(), metric, unit, at, values);
  }

  /** What holds for Woodbird in every cell: its fpp, its size, and that longs cost no garbage. */
  List<Verdict> standing() {
    List<Verdict> verdicts = new ArrayList<>();
    for (KeyKind<?> kind : List.of(KeyKind.LONGS, KeyKind.STRINGS)) {
      for (RivalKind rival : RivalKind.values()) {
        List<Sample> all = rival.ours() ? all(kind, rival, 0) : List.of();
        if (all.isEmpty()) {
          continue;
        }
        String who = rival.label() + ", " + kind.name();
        verdicts.add(
            most(
                "false positives in percent: " + who, "", 100 * fppBound(), all, Results::percent));
        List<Sample> large = all(kind, rival, ENOUGH_KEYS);
        if (!large.isEmpty()) {
          verdicts.add(
              most("bits per key: " + who, "", rival.mostBitsPerKey(), large, Sample::bitsPerKey));
        }
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

  private List<Sample> all(KeyKind<?> kind, RivalKind rival, long leastKeys) {
    List<Sample> all = new ArrayList<>();
    samples.forEach(
        (cell, some) -> {
          if (cell.kind().equals(kind) && cell.rival() == rival && cell.n() >= leastKeys) {
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
