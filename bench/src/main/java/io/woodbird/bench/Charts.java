package io.woodbird.bench;

import io.woodbird.bench.BarChart.Bar;
import io.woodbird.bench.BarChart.Group;
import io.woodbird.bench.LineChart.Line;
import io.woodbird.bench.LineChart.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** Draws the charts of docs/benchmarks from the results beside them. */
final class Charts {
  /** Classic Bloom filters of the same size lie on one line of the picture. */
  private static final double SAME = 0.02;

  /** The left end of the picture of space. */
  private static final double WORST_FPP = 0.3;

  private static final List<String> COLOURS =
      List.of(
          "woodbird",
          "woodbird-batch",
          "woodbird-ribbon",
          "woodbird-fuse",
          "woodbird-quotient",
          "guava",
          "fastfilter-blocked",
          "fastfilter-xor8",
          "hashset",
          "spark",
          "datasketches",
          "commons");

  private final Path folder;
  private final Map<String, Published> results;
  private final List<String> drawn = new ArrayList<>();

  private Charts(Path folder) throws IOException {
    this.folder = folder;
    this.results = Published.all(folder);
  }

  /** Draws what the results of a folder allow, into it; returns the names of all its charts. */
  static List<String> draw(Path folder) throws IOException {
    Charts charts = new Charts(folder);
    charts.draw("questions", "lookup", charts::questions);
    charts.draw("space", "space", charts::space);
    charts.draw("strings", "strings", charts::strings);
    charts.draw("build", "build", charts::build);
    charts.draw("redis", "redis", charts::redis);
    return charts.drawn;
  }

  private void draw(String name, String section, Supplier<String> svg) throws IOException {
    if (has(section)) {
      Files.writeString(folder.resolve(name + ".svg"), svg.get());
      drawn.add(name);
    }
  }

  private boolean has(String section) {
    return results.containsKey(section) && !results.get(section).rows().isEmpty();
  }

  private List<Row> rows(String section, String metric, Predicate<Row> which) {
    return has(section)
        ? results.get(section).rows(metric).stream().filter(which).toList()
        : List.of();
  }

  private static double number(Row row, String condition) {
    return ((Number) row.at().get(condition)).doubleValue();
  }

  private static boolean ours(String who) {
    return who.startsWith("woodbird");
  }

  private static int colour(String who) {
    if (who.equals("woodbird-classic")) {
      return 12;
    }
    int known = COLOURS.indexOf(who);
    return known >= 0 ? known : ours(who) ? 4 : 8 + Math.floorMod(who.hashCode(), 4);
  }

  private String where() {
    JsonNode machine = results.values().iterator().next().machine();
    String jdk = machine.get("jdk").stringValue();
    return machine.get("cpu").stringValue() + ", JDK " + jdk.replaceAll("[^0-9.].*", "");
  }

  /** Nanoseconds per question against n, on a mix. */
  private String questions() {
    Map<String, List<Point>> points = new LinkedHashMap<>();
    for (String section : List.of("lookup", "middle", "memory")) {
      for (Row row : rows(section, "ask", row -> row.at().get("workload").equals("mix"))) {
        add(points, row, number(row, "n"));
      }
    }
    List<Line> lines = new ArrayList<>();
    points.forEach((who, some) -> lines.add(new Line(who, ours(who), colour(who), some)));
    double most =
        lines.stream().flatMap(l -> l.y().stream()).mapToDouble(y -> y).reduce(500, Math::max);
    List<Double> n = List.of(1e4, 1e5, 1e6, 1e7, 1e8);
    List<String> names =
        List.of("10 thousand", "100 thousand", "1 million", "10 million", "100 million");
    List<Double> nanos = List.of(2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0);
    return LineChart.draw(
        "Time per question",
        "nanoseconds, half of the keys are there, 1 % (fuse and xor8: 0.39 %); both axes logarithmic; "
            + where(),
        "Nanoseconds per question about a long",
        new Axis("keys in the filter", 1e4, 1e8, true, n, names),
        new Axis("ns", 2, most, true, nanos, labels(nanos)),
        lines);
  }

  private static void add(Map<String, List<Point>> points, Row row, double x) {
    points.computeIfAbsent(row.who(), who -> new ArrayList<>()).add(new Point(x, row.value()));
  }

  private static List<String> labels(List<Double> values) {
    return values.stream().map(value -> String.format(Locale.ROOT, "%.0f", value)).toList();
  }

  /** Bits per key against the measured fpp. */
  private String space() {
    Map<String, List<Point>> points = new LinkedHashMap<>();
    for (Row size : rows("space", "bitsPerKey", row -> true)) {
      double fpp =
          rows("space", "fpp", row -> row.who().equals(size.who()) && row.at().equals(size.at()))
              .stream()
              .mapToDouble(Row::value)
              .findFirst()
              .orElse(number(size, "askedFpp"));
      // the counting filter would be far above the picture; it is in the table
      if (fpp > 0
          && fpp <= WORST_FPP
          && !size.who().equals("woodbird-counting")
          && size.value() < 26) {
        add(points, size, 1 / fpp);
      }
    }
    List<Line> lines = new ArrayList<>();
    points.forEach((who, some) -> join(lines, who, some));
    // the axis counts keys per false positive, so that it runs from many to few
    List<Double> keys = List.of(4.0, 1e1, 1e2, 1e3, 1e4, 1e5);
    List<String> names = List.of("25 %", "10 %", "1 %", "0.1 %", "0.01 %", "0.001 %");
    List<Double> bits = List.of(0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0);
    return LineChart.draw(
        "Bits per key against false positives, both measured",
        "a million keys; no filter can be below the dashed line, log2(1 / fpp); \"more\" are other classic"
            + " Bloom filters in the same place",
        "Bits per key against the measured share of false positives",
        new Axis("false positives", 1 / WORST_FPP, 1e5, true, keys, names),
        new Axis("bits", 0, 26, false, bits, labels(bits)),
        lines);
  }

  /** Adds a line, or its name to one that lies in the same place. */
  private static void join(List<Line> lines, String who, List<Point> points) {
    for (int i = 0; i < lines.size(); i++) {
      Line other = lines.get(i);
      if (other.colour() >= 0 && !other.ours() && !ours(who) && same(other.points(), points)) {
        lines.set(i, new Line(more(other.name()), false, other.colour(), other.points()));
        return;
      }
    }
    lines.add(
        who.equals("limit")
            ? new Line("limit", false, -1, points)
            : new Line(who, ours(who), colour(who), points));
  }

  /** Counts on: "guava", "guava and 1 more", "guava and 2 more". */
  private static String more(String name) {
    int and = name.indexOf(" and ");
    int before = and < 0 ? 0 : Integer.parseInt(name.replaceAll("[^0-9]", ""));
    return (and < 0 ? name : name.substring(0, and)) + " and " + (before + 1) + " more";
  }

  private static boolean same(List<Point> some, List<Point> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      double log = Math.log(some.get(i).x() / others.get(i).x());
      double ratio = some.get(i).y() / others.get(i).y();
      if (Math.abs(log) > 0.15 || Math.abs(ratio - 1) > SAME) {
        return false;
      }
    }
    return true;
  }

  /** Times in nanoseconds, the shortest first. */
  private Group times(String heading, String section, String metric, Predicate<Row> which) {
    return new Group(
        heading,
        rows(section, metric, which).stream()
            .sorted(Comparator.comparingDouble(Row::value))
            .map(row -> bar(row.who(), row.value(), "%.0f ns", row.value()))
            .toList());
  }

  private static Bar bar(String who, double value, String format, double shown) {
    return new Bar(who, ours(who), value, String.format(Locale.ROOT, format, shown));
  }

  private String strings() {
    Predicate<Row> miss = row -> row.at().get("workload").equals("miss");
    return BarChart.draw(
        "Time per question about a URL of 60 characters",
        "nanoseconds, keys that are not there; shorter is better; " + where(),
        0,
        List.of(
            times("100,000 URLs", "strings", "ask", miss.and(row -> number(row, "n") == 1e5)),
            times("10,000,000 URLs", "strings", "ask", miss.and(row -> number(row, "n") == 1e7))));
  }

  private String build() {
    return BarChart.draw(
        "Time to take in one of ten million longs",
        "nanoseconds per key, one thread; shorter is better; puts of woodbird and guava are"
            + " thread-safe, the others' are not",
        0,
        List.of(
            times("put one by one", "build", "put", row -> true),
            times("built from all keys at once", "build", "build", row -> true)));
  }

  private String redis() {
    return BarChart.draw(
        "One filter in Redis: keys per second",
        "one client thread, logarithmic from 1,000; longer is better; near: with a copy in the"
            + " process",
        1000,
        List.of(
            rates("Questions in batches of 1,000", "ask", "batch"),
            rates("Questions one by one", "ask", "single"),
            rates("Puts in batches of 1,000", "put", "batch"),
            rates("Loading a million keys", "load", "all")));
  }

  /** Keys per second, the most first. */
  private Group rates(String heading, String metric, String call) {
    return new Group(
        heading,
        rows("redis", metric, row -> row.at().get("call").equals(call)).stream()
            .sorted(Comparator.comparingDouble(Row::value))
            .map(row -> rate(row.who(), 1e6 / row.value()))
            .toList());
  }

  private static Bar rate(String who, double perSecond) {
    return perSecond < 1e6
        ? bar(who, perSecond, "%,.3g thousand/s", perSecond / 1e3)
        : bar(who, perSecond, "%,.3g million/s", perSecond / 1e6);
  }
}
