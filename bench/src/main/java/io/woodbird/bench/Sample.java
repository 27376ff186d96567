package io.woodbird.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.stream.Collectors;

/**
 * What one JVM measured in one cell.
 *
 * @param askNanos nanoseconds per question, for each timed pass
 * @param putNanos nanoseconds per put, for each time a set was filled
 * @param removeNanos nanoseconds per remove, for each time a set was emptied; none if it can't
 * @param fpp the share of false positives
 * @param bitsPerKey the size
 * @param askBytes bytes allocated per question
 * @param putBytes bytes allocated per put
 */
record Sample(
    List<Double> askNanos,
    List<Double> putNanos,
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

  /** Writes it as lines "name=value". */
  String toLines() {
    return String.format(
        Locale.ROOT,
        "askNanos=%s%nputNanos=%s%nremoveNanos=%s%nfpp=%s%nbitsPerKey=%s%naskBytes=%s%nputBytes=%s%n",
        joined(askNanos),
        joined(putNanos),
        joined(removeNanos),
        fpp,
        bitsPerKey,
        askBytes,
        putBytes);
  }

  /** Reads what {@link #toLines} wrote. */
  static Sample of(Properties lines) {
    return new Sample(
        split(lines.getProperty("askNanos")),
        split(lines.getProperty("putNanos")),
        split(lines.getProperty("removeNanos")),
        Double.parseDouble(lines.getProperty("fpp")),
        Double.parseDouble(lines.getProperty("bitsPerKey")),
        Double.parseDouble(lines.getProperty("askBytes")),
        Double.parseDouble(lines.getProperty("putBytes")));
  }

  private static String joined(List<Double> values) {
    return values.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  private static List<Double> split(String text) {
    return text.isEmpty()
        ? List.of()
        : Arrays.stream(text.split(",", -1)).map(Double::valueOf).toList();
  }
}
