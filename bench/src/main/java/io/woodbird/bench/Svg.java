package io.woodbird.bench;

import java.util.Locale;

/** Writes an SVG picture that is readable on light and on dark ground. */
final class Svg {
  /** Colours for light ground, then for dark. Ours are blue and green; the others keep back. */
  private static final String STYLE =
      """
      <style>
        svg { --ground: #ffffff; --text: #1f2933; --soft: #5f6b7a; --grid: #e3e8ee;
              --c0: #0b66c3; --c1: #00897b; --c2: #5e35b1; --c3: #2e9cdb; --c4: #6a9f2a;
              --c5: #c2410c; --c6: #b45309; --c7: #9d174d; --c8: #6b7280; --c9: #a16207;
              --c10: #be5a7b; --c11: #7c6f64; --c12: #4059ad; }
        @media (prefers-color-scheme: dark) {
          svg { --ground: #0f1720; --text: #e6edf3; --soft: #9fb0c0; --grid: #263341;
                --c0: #58a6ff; --c1: #4dd0b8; --c2: #b39ddb; --c3: #7cc7f2; --c4: #aed581;
                --c5: #ff9e6d; --c6: #f5c26b; --c7: #f48fb1; --c8: #a7b0bb; --c9: #d9c27a;
                --c10: #f0a6c0; --c11: #bcaea2; --c12: #8ea6ff; }
        }
        .ground { fill: var(--ground); }
        text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
               fill: var(--text); font-size: 13px; }
        .head { font-size: 18px; font-weight: 600; }
        .soft { fill: var(--soft); font-size: 12px; }
        .grid { stroke: var(--grid); stroke-width: 1; }
        .limit { stroke: var(--text); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
        .line { fill: none; stroke-linejoin: round; stroke-linecap: round; }
        .bold { font-weight: 600; }
      </style>
      """;

  private final StringBuilder out = new StringBuilder();

  Svg(int width, int height, String title, String description) {
    out.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                + " role=\"img\" aria-labelledby=\"title desc\">%n",
            width, height, width, height));
    out.append("<title id=\"title\">").append(escaped(title)).append("</title>\n");
    out.append("<desc id=\"desc\">").append(escaped(description)).append("</desc>\n");
    out.append(STYLE);
    add("<rect class=\"ground\" width=\"%d\" height=\"%d\" rx=\"8\"/>", width, height);
    text(24, 34, "head", "start", title);
  }

  void add(String format, Object... args) {
    out.append(String.format(Locale.ROOT, format, args)).append('\n');
  }

  void text(double x, double y, String style, String anchor, String text) {
    add(
        "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>",
        style, x, y, anchor, escaped(text));
  }

  void coloured(double x, double y, int colour, boolean bold, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\"%s style=\"fill: var(--c%d)\">%s</text>",
        x, y, bold ? " class=\"bold\"" : "", colour, escaped(text));
  }

  void grid(double x1, double y1, double x2, double y2) {
    add("<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>", x1, y1, x2, y2);
  }

  /** A point: the shape follows the colour, so that nobody needs to see colours. */
  void point(double x, double y, int colour, boolean large) {
    double r = large ? 4.5 : 3.5;
    String fill = "style=\"fill: var(--c" + colour + ")\"";
    switch (colour % 3) {
      case 0 -> add("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>", x, y, r, fill);
      case 1 ->
          add(
              "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" %s/>",
              x - r, y - r, 2 * r, 2 * r, fill);
      default ->
          add(
              "<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fz\" %s/>",
              x, y - 1.3 * r, 1.2 * r, 2.2 * r, -2.4 * r, 0.0, fill);
    }
  }

  String end() {
    return out + "</svg>\n";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
