package io.woodbird.bench;

import java.util.List;
import java.util.Map;

/**
 * An axis of a chart, linear or logarithmic. A share of 0 is its start, 1 its end.
 *
 * @param marks where values are written
 * @param names what is written
 */
record Axis(
    String title, double from, double to, boolean log, List<Double> marks, List<String> names) {
  /** The room for points at either end, as a share of the axis. */
  private static final double MARGIN = 0.02;

  /** Returns the share at which a value lies. */
  double share(double value) {
    return log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
  }

  /** Returns the value that lies at a share. */
  double at(double share) {
    return log ? from * Math.pow(to / from, share) : from + share * (to - from);
  }

  /**
   * Adds the axis to a plot.
   *
   * @param aesthetic "x" or "y"
   * @param end the share at which the picture ends
   */
  void addTo(Plot plot, String aesthetic, double end) {
    plot.scale(
        Map.of(
            "aesthetic", aesthetic,
            "trans", log ? "log10" : "identity",
            "name", title,
            "breaks", marks,
            "labels", names,
            "limits", List.of(at(-MARGIN), at(end + MARGIN)),
            "expand", List.of(0.0, 0.0)));
  }
}
