package io.woodbird.bench;

import java.util.List;
import java.util.Map;

/**
 * What one JVM measured in one cell.
 *
 * @param askNanos nanoseconds per question, for each timed pass
 * @param putNanos nanoseconds per put, for each time a set was filled
 * @param cpuNanos the same, but of all threads of the JVM
 * @param removeNanos nanoseconds per remove, for each time a set was emptied; none if it can't
 * @param fpp the share of false positives
 * @param bitsPerKey the size
 * @param askBytes bytes allocated per question
 * @param putBytes bytes allocated per put
 */
record Sample(
    List<Double> askNanos,
    List<Double> putNanos,
    List<Double> cpuNanos,
    List<Double> removeNanos,
    double fpp,
    double bitsPerKey,
    double askBytes,
    double putBytes) {

  double ask() {
    return median(askNanos);
  }

  double put() {
    return median(putNanos);
  }

  double cpu() {
    return median(cpuNanos);
  }

  double remove() {
    return median(removeNanos);
  }

  /** Returns the middle value or the mean of the middle two; NaN if there is none. */
  static double median(List<Double> values) {
    if (values.isEmpty()) {
      return Double.NaN;
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }

  /** Writes it as lines "name=value"; the prefix tells several samples apart. */
  String toLines(String prefix) {
    return Forks.line(prefix + "askNanos", askNanos)
        + Forks.line(prefix + "putNanos", putNanos)
        + Forks.line(prefix + "cpuNanos", cpuNanos)
        + Forks.line(prefix + "removeNanos", removeNanos)
        + Forks.line(prefix + "fpp", fpp)
        + Forks.line(prefix + "bitsPerKey", bitsPerKey)
        + Forks.line(prefix + "askBytes", askBytes)
        + Forks.line(prefix + "putBytes", putBytes);
  }

  /** Reads what {@link #toLines} wrote. */
  static Sample of(Map<String, List<Double>> lines, String prefix) {
    return new Sample(
        lines.get(prefix + "askNanos"),
        lines.get(prefix + "putNanos"),
        lines.get(prefix + "cpuNanos"),
        lines.get(prefix + "removeNanos"),
        median(lines.get(prefix + "fpp")),
        median(lines.get(prefix + "bitsPerKey")),
        median(lines.get(prefix + "askBytes")),
        median(lines.get(prefix + "putBytes")));
  }
}
