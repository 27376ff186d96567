package io.woodbird.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Horizontal bars in groups, each with its name and its value. */
final class BarChart {
  private static final int ROW = 27;
  private static final int MARGINS = 76;

  /** The room for values to the right of the longest bar, as a share of it. */
  private static final double VALUES = 0.2;

  /**
   * A bar.
   *
   * @param label what is written at its end
   */
  record Bar(String name, boolean ours, double value, String label) {}

  /** Bars under a heading. */
  record Group(String heading, List<Bar> bars) {}

  private BarChart() {}

  /**
   * Draws the bars.
   *
   * @param from the value at the left end; above 0 for a logarithmic scale
   */
  static String draw(String title, String subtitle, double from, List<Group> groups) {
    int rows = groups.stream().mapToInt(group -> 1 + group.bars().size()).sum();
    double most =
        groups.stream().flatMap(g -> g.bars().stream()).mapToDouble(Bar::value).max().orElse(1);
    Axis x = new Axis("", from, most, from > 0, List.of(), List.of());
    Plot plot = new Plot(title, subtitle, MARGINS + ROW * rows);
    StringBuilder description = new StringBuilder();
    List<Double> marks = new ArrayList<>();
    List<String> names = new ArrayList<>();
    double y = rows;
    for (Group group : groups) {
      plot.text(from, y--, group.heading(), Plot.TEXT, true);
      description.append(description.isEmpty() ? "" : " ").append(group.heading()).append(':');
      for (Bar bar : group.bars()) {
        bar(plot, x, y, bar);
        marks.add(y--);
        names.add(bar.name());
        description.append(' ').append(bar.name()).append(' ').append(bar.label()).append(';');
      }
    }
    x.addTo(plot, "x", 1 + VALUES);
    new Axis("", 0.5, rows + 0.5, false, marks, names).addTo(plot, "y", 1);
    List.of("axis_title_x", "axis_line", "axis_ticks", "panel_grid_major").forEach(plot::hide);
    return plot.svg(description.toString());
  }

  private static void bar(Plot plot, Axis x, double y, Bar bar) {
    plot.layer(
        "rect",
        Map.of("fill", Plot.colour(bar.ours() ? 0 : 8), "size", 0),
        Map.of(
            "xmin", List.of(x.from()),
            "xmax", List.of(bar.value()),
            "ymin", List.of(y - 0.38),
            "ymax", List.of(y + 0.38)));
    plot.text(x.at(x.share(bar.value()) + 0.01), y, bar.label(), Plot.TEXT, bar.ours());
  }
}
