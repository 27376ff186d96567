package io.woodbird.bench;

import java.util.List;

/** Horizontal bars, each with its name and its value. */
final class BarChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 200;
  private static final int RIGHT = 150;
  private static final int TOP = 76;
  private static final int BAR = 20;
  private static final int STEP = 27;
  private static final int GAP = 30;

  /**
   * A bar.
   *
   * @param label what is written at its end
   */
  record Bar(String name, boolean ours, double value, String label) {}

  /** Bars under a heading, which may be empty. */
  record Group(String heading, List<Bar> bars) {}

  private BarChart() {}

  /**
   * Draws.
   *
   * @param from the value at the left end; above 0 for a logarithmic scale
   */
  static String draw(
      String title, String subtitle, String description, double from, List<Group> groups) {
    int height = TOP + 16;
    for (Group group : groups) {
      height += STEP * group.bars().size() + (group.heading().isEmpty() ? 0 : GAP);
    }
    Svg svg = new Svg(WIDTH, height, title, description);
    svg.text(24, 54, "soft", "start", subtitle);
    double most =
        groups.stream().flatMap(g -> g.bars().stream()).mapToDouble(Bar::value).max().orElse(1);
    double y = TOP;
    for (Group group : groups) {
      if (!group.heading().isEmpty()) {
        svg.text(24, y + 18, "bold", "start", group.heading());
        y += GAP;
      }
      for (Bar bar : group.bars()) {
        double share =
            from > 0 ? Math.log(bar.value() / from) / Math.log(most / from) : bar.value() / most;
        double width = Math.max(2, share * (WIDTH - LEFT - RIGHT));
        svg.text(LEFT - 10, y + 15, bar.ours() ? "bold" : "", "end", bar.name());
        svg.add(
            "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"3\""
                + " style=\"fill: var(--c%d)%s\"/>",
            LEFT, y, width, BAR, bar.ours() ? 0 : 8, bar.ours() ? "" : "; opacity: 0.75");
        svg.text(LEFT + width + 8, y + 15, bar.ours() ? "bold" : "", "start", bar.label());
        y += STEP;
      }
    }
    return svg.end();
  }
}
