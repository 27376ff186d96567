package io.woodbird.bench;

import io.woodbird.bench.LineChart.Axis;
import io.woodbird.bench.LineChart.Line;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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

  private final Map<String, Published> results;

  private Charts(Path folder) throws IOException {
    this.results = Published.all(folder);
  }

  /** Draws what the results of a folder allow, into it; returns the names of all its charts. */
  static List<String> draw(Path folder) throws IOException {
    Charts charts = new Charts(folder);
    List<String> drawn = new ArrayList<>();
    for (String name : List.of("questions", "space", "strings", "build", "redis")) {
      Optional<String> svg = charts.svg(name);
      if (svg.isPresent()) {
        Files.writeString(folder.resolve(name + ".svg"), svg.get());
        drawn.add(name);
      }
    }
    return drawn;
  }

  private Optional<String> svg(String name) {
    return switch (name) {
      case "questions" -> has("lookup") ? Optional.of(questions()) : Optional.empty();
      case "space" -> has("space") ? Optional.of(space()) : Optional.empty();
      case "strings" -> has("strings") ? Optional.of(strings()) : Optional.empty();
      case "build" -> has("build") ? Optional.of(build()) : Optional.empty();
      default -> has("redis") ? Optional.of(redis()) : Optional.empty();
    };
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
    Map<String, Object> machine = results.values().iterator().next().machine();
    String jdk = String.valueOf(machine.get("jdk"));
    return machine.get("cpu") + ", JDK " + jdk.replaceAll("[^0-9.].*", "");
  }

  /** Nanoseconds per question against n, on a mix. */
  private String questions() {
    List<Row> rows = new ArrayList<>();
    for (String section : List.of("lookup", "middle", "memory")) {
      rows.addAll(rows(section, "ask", row -> row.at().get("workload").equals("mix")));
    }
    Map<String, List<double[]>> points = new LinkedHashMap<>();
    for (Row row : rows) {
      points
          .computeIfAbsent(row.who(), who -> new ArrayList<>())
          .add(new double[] {number(row, "n"), row.value()});
    }
    List<Line> lines = new ArrayList<>();
    points.forEach((who, some) -> lines.add(new Line(who, ours(who), colour(who), some)));
    List<Double> n = List.of(1e4, 1e5, 1e6, 1e7, 1e8);
    List<String> names =
        List.of("10 thousand", "100 thousand", "1 million", "10 million", "100 million");
    List<Double> nanos = List.of(2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0);
    return LineChart.draw(
        "Time per question",
        "nanoseconds, half of the keys are there, 1 % (fuse and xor8: 0.39 %); both axes logarithmic; "
            + where(),
        described("Nanoseconds per question about a long", lines, " ns"),
        new Axis("keys in the filter", 1e4, 1e8, true, n, names),
        new Axis("ns", 2, 500, true, nanos, labels(nanos)),
        lines);
  }

  private static List<String> labels(List<Double> values) {
    return values.stream().map(value -> String.format(Locale.ROOT, "%.0f", value)).toList();
  }

  private static String described(String what, List<Line> lines, String unit) {
    StringBuilder text = new StringBuilder(what).append(", at the right end of each line:");
    for (Line line : lines) {
      double[] last = line.points().get(line.points().size() - 1);
      text.append(String.format(Locale.ROOT, " %s %.3g%s;", line.name(), last[1], unit));
    }
    return text.toString();
  }

  /** Bits per key against the measured fpp. */
  private String space() {
    Map<String, List<double[]>> points = new LinkedHashMap<>();
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
        points
            .computeIfAbsent(size.who(), who -> new ArrayList<>())
            .add(new double[] {fpp, size.value()});
      }
    }
    List<Line> lines = new ArrayList<>();
    points.forEach((who, some) -> join(lines, who, some));
    List<Double> fpps = List.of(0.25, 0.1, 0.01, 0.001, 0.0001, 0.00001);
    List<String> names = List.of("25 %", "10 %", "1 %", "0.1 %", "0.01 %", "0.001 %");
    List<Double> bits = List.of(0.0, 4.0, 8.0, 12.0, 16.0, 20.0, 24.0);
    return LineChart.draw(
        "Bits per key against false positives, both measured",
        "a million keys; no filter can be below the dashed line, log2(1 / fpp); \"more\" are other classic"
            + " Bloom filters in the same place",
        described("Bits per key against the measured share of false positives", lines, " bits"),
        new Axis("false positives", WORST_FPP, 0.00001, true, fpps, names),
        new Axis("bits per key", 0, 26, false, bits, labels(bits)),
        lines);
  }

  /** Adds a line, or its name to one that lies in the same place. */
  private static void join(List<Line> lines, String who, List<double[]> points) {
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

  private static boolean same(List<double[]> some, List<double[]> others) {
    if (some.size() != others.size()) {
      return false;
    }
    for (int i = 0; i < some.size(); i++) {
      double log = Math.log(some.get(i)[0] / others.get(i)[0]);
      double ratio = some.get(i)[1] / others.get(i)[1];
      if (Math.abs(log) > 0.15 || Math.abs(ratio - 1) > SAME) {
        return false;
      }
    }
    return true;
  }

  private static BarChart.Bar bar(Row row, String format, double factor) {
    String label = String.format(Locale.ROOT, format, row.value() * factor);
    return new BarChart.Bar(row.who(), ours(row.who()), row.value() * factor, label);
  }

  private static String described(List<BarChart.Group> groups) {
    StringBuilder text = new StringBuilder();
    for (BarChart.Group group : groups) {
      text.append(group.heading()).append(':');
      group.bars().forEach(bar -> text.append(' ' + bar.name() + ' ' + bar.label() + ';'));
    }
    return text.toString();
  }

  private String strings() {
    List<BarChart.Group> groups = new ArrayList<>();
    for (double n : new double[] {1e5, 1e7}) {
      List<BarChart.Bar> bars =
          rows("strings", "ask", r -> r.at().get("workload").equals("miss") && number(r, "n") == n)
              .stream()
              .sorted(Comparator.comparingDouble(Row::value))
              .map(row -> bar(row, "%.0f ns", 1))
              .toList();
      groups.add(new BarChart.Group(String.format("%,.0f URLs", n), bars));
    }
    return BarChart.draw(
        "Time per question about a URL of 60 characters",
        "nanoseconds, keys that are not there; shorter is better; " + where(),
        described(groups),
        0,
        groups);
  }

  private String build() {
    List<Row> rows = new ArrayList<>(rows("build", "put", row -> true));
    List<Row> atOnce = rows("build", "build", row -> true);
    Comparator<Row> byValue = Comparator.comparingDouble(Row::value);
    List<BarChart.Group> groups =
        List.of(
            new BarChart.Group(
                "put one by one",
                rows.stream().sorted(byValue).map(row -> bar(row, "%.0f ns", 1)).toList()),
            new BarChart.Group(
                "built from all keys at once",
                atOnce.stream().sorted(byValue).map(row -> bar(row, "%.0f ns", 1)).toList()));
    return BarChart.draw(
        "Time to take in one of ten million longs",
        "nanoseconds per key, one thread; shorter is better; puts of woodbird and guava are"
            + " thread-safe, the others' are not",
        described(groups),
        0,
        groups);
  }

  private String redis() {
    List<BarChart.Group> groups = new ArrayList<>();
    groups.add(redis("Questions in batches of 1,000", "ask", "batch"));
    groups.add(redis("Questions one by one", "ask", "single"));
    groups.add(redis("Puts in batches of 1,000", "put", "batch"));
    groups.add(redis("Loading a million keys", "load", "all"));
    return BarChart.draw(
        "One filter in Redis: keys per second",
        "one client thread, logarithmic from 1,000; longer is better; near: with a copy in the"
            + " process",
        described(groups),
        1000,
        groups);
  }

  private BarChart.Group redis(String heading, String metric, String call) {
    List<BarChart.Bar> bars = new ArrayList<>();
    for (Row row : rows("redis", metric, row -> row.at().get("call").equals(call))) {
      double perSecond = 1e6 / row.value();
      String label = String.format(Locale.ROOT, "%,.3g thousand/s", perSecond / 1000);
      if (perSecond >= 1e6) {
        label = String.format(Locale.ROOT, "%,.3g million/s", perSecond / 1e6);
      }
      bars.add(new BarChart.Bar(row.who(), ours(row.who()), perSecond, label));
    }
    bars.sort(Comparator.comparingDouble(BarChart.Bar::value).reversed());
    return new BarChart.Group(heading, bars);
  }
}
