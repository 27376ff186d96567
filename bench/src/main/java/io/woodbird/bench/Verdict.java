package io.woodbird.bench;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A promise and what came of it.
 *
 * @param promise in words
 * @param unit of the numbers
 * @param atLeast whether the target is a lower bound
 * @param target the bound
 * @param measured the value, or NaN if it could not be measured
 * @param range of the single rounds
 */
record Verdict(
    String promise, String unit, boolean atLeast, double target, double measured, Range range) {
  /** From the lowest to the highest. */
  record Range(double low, double high) {}

  static Verdict atLeast(String promise, String unit, double target, double got, Range range) {
    return new Verdict(promise, unit, true, target, got, range);
  }

  static Verdict atMost(String promise, String unit, double target, double got, Range range) {
    return new Verdict(promise, unit, false, target, got, range);
  }

  /** Of a value that was measured once. */
  static Verdict atLeast(String promise, String unit, double target, double got) {
    return atLeast(promise, unit, target, got, new Range(got, got));
  }

  /** Of a value that was measured once. */
  static Verdict atMost(String promise, String unit, double target, double got) {
    return atMost(promise, unit, target, got, new Range(got, got));
  }

  static Range range(List<Double> values) {
    return new Range(
        values.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN),
        values.stream().mapToDouble(Double::doubleValue).max().orElse(Double.NaN));
  }

  /** Whether the promise is kept; a value that is missing keeps none. */
  boolean kept() {
    return atLeast ? measured >= target : measured <= target;
  }

  /** Whether the run decides nothing. */
  boolean undecided() {
    return undecided(target, measured, range);
  }

  /**
   * Whether single rounds lie on both sides of the target, and the median is within a tenth of it.
   * A single round that went wrong does not excuse a median far away.
   */
  static boolean undecided(double target, double measured, Range range) {
    return range.low() < target
        && range.high() > target
        && Math.abs(measured - target) <= target / 10;
  }

  /** Names it within its document: its words, joined by hyphens. */
  String id() {
    return promise.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9.]+", "-").replaceAll("^-|-$", "");
  }

  Map<String, Object> json() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("id", id());
    map.put("promise", promise);
    map.put("bound", atLeast ? "at least" : "at most");
    map.put("target", Json.rounded(target));
    map.put("measured", Json.rounded(measured));
    map.put("unit", unit.strip());
    map.put("lowestRound", Json.rounded(range.low()));
    map.put("highestRound", Json.rounded(range.high()));
    map.put("kept", kept());
    return map;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%s  %-74s %s %.4g%s  measured %.4g%s (%.4g to %.4g)",
        undecided() ? "????" : kept() ? "pass" : "FAIL",
        promise,
        atLeast ? "at least" : "at most ",
        target,
        unit,
        measured,
        unit,
        range.low(),
        range.high());
  }
}
