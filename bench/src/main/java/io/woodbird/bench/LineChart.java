package io.woodbird.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;

/** Lines over a logarithmic x axis, each named at its right end. */
final class LineChart {
  private static final int HEIGHT = 520;

  /** The least distance between two names, as a share of the y axis. */
  private static final double NAME_HEIGHT = 0.041;

  /** Where the names stand and where the picture ends, as shares of the x axis. */
  private static final double NAMES = 1.05;

  private static final double RIGHT = 1.32;

  /** Circle, square and triangle: colours alone would not tell all readers which line is which. */
  private static final List<Integer> SHAPES = List.of(16, 15, 17);

  /** A point of a line. */
  record Point(double x, double y) {}

  /**
   * A line.
   *
   * @param ours whether it is drawn strongly
   * @param colour its number; below 0 for a limit, which is dashed
   */
  record Line(String name, boolean ours, int colour, List<Point> points) {
    Point last() {
      return points.get(points.size() - 1);
    }

    List<Double> x() {
      return points.stream().map(Point::x).toList();
    }

    List<Double> y() {
      return points.stream().map(Point::y).toList();
    }
  }

  private LineChart() {}

  /**
   * Draws the lines.
   *
   * @param what is shown, in words, for readers who cannot see the picture
   */
  static String draw(String title, String subtitle, String what, Axis x, Axis y, List<Line> lines) {
    Plot plot = new Plot(title, subtitle, HEIGHT);
    x.addTo(plot, "x", RIGHT);
    y.addTo(plot, "y", 1);
    StringBuilder description = new StringBuilder(what + ", at the right end of each line:");
    double[] names = names(y, lines);
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      line(plot, line);
      name(plot, line, x, y.at(names[i]));
      description.append(
          String.format(Locale.ROOT, " %s %.3g %s;", line.name(), line.last().y(), y.title()));
    }
    return plot.svg(description.toString());
  }

  private static void line(Plot plot, Line line) {
    Map<String, List<?>> points = Map.of("x", line.x(), "y", line.y());
    if (line.colour() < 0) {
      plot.layer("line", Map.of("color", Plot.TEXT, "size", 0.7, "linetype", "dashed"), points);
      return;
    }
    String colour = Plot.colour(line.colour());
    plot.layer("line", Map.of("color", colour, "size", line.ours() ? 1.4 : 0.7), points);
    Object shape = SHAPES.get(line.colour() % SHAPES.size());
    plot.layer(
        "point", Map.of("color", colour, "shape", shape, "size", line.ours() ? 4 : 3), points);
  }

  private static void name(Plot plot, Line line, Axis x, double at) {
    String colour = line.colour() < 0 ? Plot.TEXT : Plot.colour(line.colour());
    plot.layer(
        "segment",
        Map.of("color", colour, "alpha", 0.35, "size", 0.5),
        Map.of(
            "x", List.of(x.at(x.share(line.last().x()) + 0.01)),
            "y", List.of(line.last().y()),
            "xend", List.of(x.at(NAMES - 0.01)),
            "yend", List.of(at)));
    plot.text(x.at(NAMES), at, line.name(), colour, line.ours() || line.colour() < 0);
  }

  /** Returns where the names stand on the y axis: at their lines, or moved apart. */
  private static double[] names(Axis y, List<Line> lines) {
    double[] at = lines.stream().mapToDouble(line -> y.share(line.last().y())).toArray();
    List<Integer> order = new ArrayList<>(IntStream.range(0, at.length).boxed().toList());
    order.sort(Comparator.comparingDouble(i -> -at[i]));
    double most = 1;
    for (int i : order) {
      at[i] = Math.min(at[i], most);
      most = at[i] - NAME_HEIGHT;
    }
    Collections.reverse(order);
    double least = 0;
    for (int i : order) {
      at[i] = Math.max(at[i], least);
      least = at[i] + NAME_HEIGHT;
    }
    return at;
  }
}
