package io.woodbird.bench;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jetbrains.letsPlot.commons.encoding.UnsupportedRGBEncoder;
import org.jetbrains.letsPlot.commons.geometry.DoubleVector;
import org.jetbrains.letsPlot.core.util.PlotSvgExportCommon;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A chart that Lets-Plot draws as SVG. The picture follows the light or dark theme of its reader,
 * and the same data give the same bytes.
 *
 * <p>Layers, scales and theme are those of Lets-Plot's specification, in the terms of ggplot2.
 */
final class Plot {
  static final int WIDTH = 900;

  /** Colours on light ground, each with the one that takes its place on dark ground. */
  private static final String[][] COLOURS = {
    {"#ffffff", "#0f1720"}, // ground
    {"#1f2933", "#e6edf3"}, // text
    {"#5f6b7a", "#9fb0c0"}, // soft text
    {"#e3e8ee", "#263341"}, // grid
    {"#0b66c3", "#58a6ff"}, // lines: the first five are ours, the others are less striking
    {"#00897b", "#4dd0b8"},
    {"#5e35b1", "#b39ddb"},
    {"#2e9cdb", "#7cc7f2"},
    {"#6a9f2a", "#aed581"},
    {"#c2410c", "#ff9e6d"},
    {"#b45309", "#f5c26b"},
    {"#9d174d", "#f48fb1"},
    {"#6b7280", "#a7b0bb"},
    {"#a16207", "#d9c27a"},
    {"#be5a7b", "#f0a6c0"},
    {"#7c6f64", "#bcaea2"},
    {"#4059ad", "#8ea6ff"},
  };

  private static final String GROUND = COLOURS[0][0];
  static final String TEXT = COLOURS[1][0];
  private static final String SOFT = COLOURS[2][0];
  private static final String GRID = COLOURS[3][0];

  private static final String FONTS =
      "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

  private static final Map<String, Object> BLANK = Map.of("name", "blank", "blank", true);

  /**
   * Copies a specification: Lets-Plot writes into what it is given and follows the order of its
   * maps, and that of {@code Map.of} changes from run to run.
   */
  private static final JsonMapper SPECIFICATION =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private static final Pattern ID = Pattern.compile("id=\"(\\w+)\"");

  /** A number of many digits in an attribute. */
  private static final Pattern LONG_NUMBER =
      Pattern.compile("-?\\d+\\.\\d{3,}(E-?\\d+)?(?=[^<>]*>)");

  private final String title;
  private final String subtitle;
  private final int height;
  private final Map<String, Object> theme = new TreeMap<>();
  private final List<Map<String, Object>> layers = new ArrayList<>();
  private final List<Map<String, Object>> scales = new ArrayList<>();

  Plot(String title, String subtitle, int height) {
    this.title = title;
    this.subtitle = subtitle;
    this.height = height;
    theme.put("name", "minimal");
    theme.put("legend_position", "none");
    theme.put("plot_background", Map.of("fill", GROUND, "color", GROUND, "blank", false));
    theme.put("plot_title", font(TEXT, 18, "bold"));
    theme.put("plot_subtitle", font(SOFT, 12, "plain"));
    theme.put("plot_margin", Map.of("t", 14.0, "r", 14.0, "b", 10.0, "l", 14.0));
    theme.put("axis_title", font(SOFT, 12, "plain"));
    theme.put("axis_text", font(SOFT, 12, "plain"));
    theme.put("panel_grid_major", Map.of("color", GRID, "size", 1.0, "blank", false));
    hide("panel_grid_minor");
    hide("axis_title_y");
  }

  private static Map<String, Object> font(String colour, int size, String face) {
    return Map.of("color", colour, "size", size, "face", face, "blank", false);
  }

  /** Returns the colour of a line by its number. */
  static String colour(int line) {
    return COLOURS[4 + line][0];
  }

  /** Leaves out an element of the theme. */
  void hide(String element) {
    theme.put(element, BLANK);
  }

  /** Adds a layer. The columns of its data are the aesthetics with the same names. */
  void layer(String geom, Map<String, Object> options, Map<String, List<?>> data) {
    Map<String, Object> mapping = new TreeMap<>();
    data.keySet().forEach(column -> mapping.put(column, column));
    Map<String, Object> layer = new TreeMap<>(options);
    layer.put("geom", geom);
    layer.put("data", data);
    layer.put("mapping", mapping);
    layers.add(layer);
  }

  /** Adds the scale of an axis. */
  void scale(Map<String, Object> options) {
    scales.add(options);
  }

  /** Adds a line of text, which begins at a point. */
  void text(double x, double y, String text, String colour, boolean bold) {
    layer(
        "text",
        Map.of("color", colour, "hjust", "left", "size", 6, "fontface", bold ? "bold" : "plain"),
        Map.of("x", List.of(x), "y", List.of(y), "label", List.of(text)));
  }

  /** Draws the chart. The description is for readers who cannot see it. */
  String svg(String description) {
    Map<String, Object> plot =
        Map.of(
            "kind", "plot",
            "ggtitle", Map.of("text", title, "subtitle", subtitle),
            "theme", theme,
            "scales", scales,
            "layers", layers);
    String svg =
        PlotSvgExportCommon.INSTANCE.buildSvgImageFromRawSpecs(
            SPECIFICATION.convertValue(plot, new TypeReference<Map<String, Object>>() {}),
            new DoubleVector(WIDTH, height),
            new UnsupportedRGBEncoder(),
            true);
    String size = String.format(Locale.ROOT, "viewBox=\"0 0 %d %d\"", WIDTH, height);
    return reproducible(themed(svg))
        .replaceFirst("<svg ", "<svg role=\"img\" aria-labelledby=\"title desc\" " + size + " ")
        .replaceFirst(
            ">\n",
            Matcher.quoteReplacement(
                """
                >
                  <title id="title">%s</title>
                  <desc id="desc">%s</desc>
                  <style>
                    svg {%s }
                    @media (prefers-color-scheme: dark) { svg {%s } }
                  </style>
                """
                    .formatted(escaped(title), escaped(description), variables(0), variables(1))));
  }

  /** Replaces colours by variables. */
  private static String themed(String svg) {
    String themed = svg.replace("Lucida Grande, sans-serif", FONTS);
    for (int i = 0; i < COLOURS.length; i++) {
      String light = COLOURS[i][0];
      int rgb = Integer.parseInt(light.substring(1), 16);
      String decimal = "rgb(" + (rgb >> 16) + "," + (rgb >> 8 & 255) + "," + (rgb & 255) + ")";
      themed = themed.replace(light, "var(--c" + i + ")").replace(decimal, "var(--c" + i + ")");
    }
    return themed;
  }

  private static String variables(int ground) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < COLOURS.length; i++) {
      out.append(" --c").append(i).append(": ").append(COLOURS[i][ground]).append(';');
    }
    return out.toString();
  }

  /** Numbers the ids, which are random, and rounds coordinates to two digits. */
  private static String reproducible(String svg) {
    String counted = svg;
    List<String> ids = ID.matcher(svg).results().map(id -> id.group(1)).distinct().toList();
    for (int i = 0; i < ids.size(); i++) {
      counted = counted.replace(ids.get(i), "id" + i);
    }
    return LONG_NUMBER.matcher(counted).replaceAll(Plot::rounded);
  }

  private static String rounded(MatchResult number) {
    BigDecimal value = new BigDecimal(number.group()).setScale(2, RoundingMode.HALF_EVEN);
    return value.stripTrailingZeros().toPlainString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
