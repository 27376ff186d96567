package io.woodbird.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Lines over a logarithmic x axis, each named at its right end. */
final class LineChart {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 520;
  private static final int LEFT = 64;
  private static final int RIGHT = 230;
  private static final int TOP = 74;
  private static final int BOTTOM = 56;
  private static final double NAME_HEIGHT = 16;

  /**
   * A line.
   *
   * @param ours drawn strongly
   * @param colour its number; below 0 for a limit, which is dashed
   */
  record Line(String name, boolean ours, int colour, List<double[]> points) {}

  /**
   * An axis.
   *
   * @param from the value at the left or at the bottom; may be above {@code to}
   * @param marks where values are written
   * @param names what is written
   */
  record Axis(
      String title, double from, double to, boolean log, List<Double> marks, List<String> names) {
    double share(double value) {
      return log ? Math.log(value / from) / Math.log(to / from) : (value - from) / (to - from);
    }
  }

  private LineChart() {}

  static String draw(
      String title, String subtitle, String description, Axis x, Axis y, List<Line> lines) {
    Svg svg = new Svg(WIDTH, HEIGHT, title, description);
    svg.text(24, 54, "soft", "start", subtitle);
    for (int i = 0; i < y.marks().size(); i++) {
      double at = y(y, y.marks().get(i));
      svg.grid(LEFT, at, WIDTH - RIGHT, at);
      svg.text(LEFT - 8, at + 4, "soft", "end", y.names().get(i));
    }
    for (int i = 0; i < x.marks().size(); i++) {
      double at = x(x, x.marks().get(i));
      svg.grid(at, TOP, at, HEIGHT - BOTTOM);
      svg.text(at, HEIGHT - BOTTOM + 20, "soft", "middle", x.names().get(i));
    }
    svg.text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "soft", "middle", x.title());
    for (Line line : lines) {
      line(svg, x, y, line);
    }
    names(svg, x, y, lines);
    return svg.end();
  }

  private static double x(Axis axis, double value) {
    return LEFT + axis.share(value) * (WIDTH - RIGHT - LEFT);
  }

  private static double y(Axis axis, double value) {
    return HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - BOTTOM - TOP);
  }

  private static void line(Svg svg, Axis x, Axis y, Line line) {
    StringBuilder path = new StringBuilder();
    for (double[] point : line.points()) {
      path.append(
          String.format(
              Locale.ROOT,
              "%s%.1f %.1f",
              path.isEmpty() ? "M" : "L",
              x(x, point[0]),
              y(y, point[1])));
    }
    if (line.colour() < 0) {
      svg.add("<path class=\"limit\" d=\"%s\"/>", path);
      return;
    }
    svg.add(
        "<path class=\"line\" d=\"%s\" style=\"stroke: var(--c%d); stroke-width: %s\"/>",
        path, line.colour(), line.ours() ? "3" : "1.6");
    for (double[] point : line.points()) {
      svg.point(x(x, point[0]), y(y, point[1]), line.colour(), line.ours());
    }
  }

  /** Names at the right ends, moved apart where they would lie on one another. */
  private static void names(Svg svg, Axis x, Axis y, List<Line> lines) {
    List<Line> sorted = new ArrayList<>(lines);
    sorted.sort(Comparator.comparingDouble(line -> y(y, last(line)[1])));
    double[] at = new double[sorted.size()];
    for (int i = 0; i < at.length; i++) {
      at[i] = y(y, last(sorted.get(i))[1]);
      at[i] = i == 0 ? at[i] : Math.max(at[i], at[i - 1] + NAME_HEIGHT);
    }
    // back up from the bottom
    double bottom = HEIGHT - BOTTOM + 6;
    for (int i = at.length - 1; i >= 0; i--) {
      at[i] = Math.min(at[i], bottom);
      bottom = at[i] - NAME_HEIGHT;
    }
    double right = WIDTH - RIGHT + 22;
    for (int i = 0; i < at.length; i++) {
      Line line = sorted.get(i);
      double[] end = last(line);
      String colour = line.colour() < 0 ? "--soft" : "--c" + line.colour();
      svg.add(
          "<path fill=\"none\" style=\"stroke: var(%s); opacity: 0.35\" d=\"M%.1f %.1fL%.1f %.1f\"/>",
          colour, x(x, end[0]) + 6, y(y, end[1]), right - 4, at[i]);
      if (line.colour() < 0) {
        svg.text(right, at[i] + 4, "bold", "start", line.name());
      } else {
        svg.coloured(right, at[i] + 4, line.colour(), line.ours(), line.name());
      }
    }
  }

  private static double[] last(Line line) {
    return line.points().get(line.points().size() - 1);
  }
}
