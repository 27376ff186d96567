package io.woodbird.bench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** The page docs/benchmarks/README.md, made of the results and charts beside it. */
final class Page {
  private static final Map<String, String> CHARTS =
      Map.of(
          "questions", "Time per question against the number of keys",
          "space", "Bits per key against false positives, with the limit",
          "strings", "Time per question about a URL",
          "build", "Time to take in a key",
          "redis", "Keys per second of a filter in Redis");

  /** What most readers look for: section and id of a promise. */
  private static final List<String> TEN =
      List.of(
          "cache one-long-in-cache-mix-fastfilter-blocked-woodbird",
          "cache one-long-in-cache-miss-fastfilter-blocked-woodbird",
          "cache one-long-in-cache-mix-guava-woodbird",
          "memory one-long-mix-fastfilter-blocked-woodbird",
          "memory longs-in-batch-mix-fastfilter-blocked-woodbird-batch",
          "memory put-longs-in-batch-thread-safe-fastfilter-blocked-woodbird-batch",
          "strings one-string-of-60-in-cache-mix-fastfilter-blocked-woodbird",
          "strings strings-of-60-in-batch-miss-guava-woodbird-batch",
          "middle one-long-frozen-10-000-000-keys-mix-fastfilter-xor8-woodbird-fuse",
          "build build-a-frozen-filter-10-000-000-keys-fastfilter-xor8-woodbird-fuse");

  /** Results of the other JDK have this behind the name of their section. */
  private static final String OTHER_JDK = "-jdk25";

  private final StringBuilder out = new StringBuilder();
  private final Map<String, Published> results;

  private Page(Map<String, Published> results) {
    this.results = results;
  }

  /**
   * Writes the page.
   *
   * @param results by section
   * @param charts the names of the charts that are there
   */
  static String of(Map<String, Published> results, List<String> charts) {
    Page page = new Page(results);
    page.head();
    page.ten();
    charts.forEach(name -> page.say("![%s](%s.svg)%n", CHARTS.get(name), name));
    page.sections();
    page.promises();
    page.rivals();
    page.tables();
    page.limits();
    return page.out.toString();
  }

  private void say(String format, Object... args) {
    out.append(String.format(Locale.ROOT, format, args)).append('\n');
  }

  private void head() {
    say("# Benchmarks%n");
    say(
        "Made by `bench/run` from the results in this folder; edit neither. What is measured, how, and");
    say("what the fields mean: [bench/README.md](../../bench/README.md).%n");
    if (results.values().stream().anyMatch(Published::quick)) {
      say("**Preliminary: measured in a hurry (`--quick`). Don't quote these numbers.**%n");
    }
    if (results.isEmpty()) {
      return;
    }
    JsonNode machine = results.values().iterator().next().machine();
    say(
        "Machine: %s, %d processors, L2 %s, L3 %s, %.0f GB; %s; %s, %s.%n",
        machine.get("cpu").stringValue(),
        machine.get("processors").intValue(),
        machine.get("l2").stringValue(),
        machine.get("l3").stringValue(),
        machine.get("memoryBytes").doubleValue() / 1e9,
        machine.get("os").stringValue(),
        machine.get("jdk").stringValue(),
        machine.get("vm").stringValue());
  }

  /** Ten ratios, on both JDKs. */
  private void ten() {
    List<String> lines = new ArrayList<>();
    for (String entry : TEN) {
      String section = entry.substring(0, entry.indexOf(' '));
      String id = entry.substring(section.length() + 1);
      JsonNode first = promise(section, id);
      JsonNode second = promise(section + OTHER_JDK, id);
      JsonNode any = first != null ? first : second;
      if (any != null) {
        String text = any.get("promise").stringValue();
        lines.add("| " + text + " | " + ratio(first) + " | " + ratio(second) + " |");
      }
    }
    if (lines.isEmpty()) {
      return;
    }
    say("Ten rows of many. A ratio is their time by ours: above 1 Woodbird is faster. In brackets");
    say("stand the lowest and the highest round.%n");
    say("| what | JDK 17 | JDK 25 |%n|---|---|---|");
    lines.forEach(line -> out.append(line).append('\n'));
    say("");
  }

  private @Nullable JsonNode promise(String section, String id) {
    Published result = results.get(section);
    return result == null
        ? null
        : result
            .promises()
            .valueStream()
            .filter(promise -> promise.get("id").stringValue().equals(id))
            .findFirst()
            .orElse(null);
  }

  private static String ratio(@Nullable JsonNode promise) {
    return promise == null
        ? "not measured"
        : String.format(
            "%s (%s to %s)",
            number(Json.number(promise.get("measured"))),
            number(Json.number(promise.get("lowestRound"))),
            number(Json.number(promise.get("highestRound"))));
  }

  private void sections() {
    if (results.isEmpty()) {
      return;
    }
    say("## What was measured%n");
    String first = results.values().iterator().next().machine().get("cpu").stringValue();
    say(
        "The host may have given a share of the processors to others meanwhile: times of two sections%n"
            + "compare only where that share was small. Ratios are of rivals that took turns.%n");
    say(
        "| section | what | date | command | seconds | load before | taken by the host | machine |");
    say("|---|---|---|---|---|---|---|---|");
    results.forEach(
        (name, result) -> {
          String cpu = result.machine().get("cpu").stringValue();
          say(
              "| [%s](%s.json) | %s | %s | `%s` | %.0f | %.2f | %s | %s |",
              name,
              name,
              result.text("title"),
              result.text("date"),
              result.text("command"),
              result.number("seconds"),
              result.number("loadBefore"),
              result.stolen(),
              cpu.equals(first) ? "as above" : cpu);
        });
    say("");
  }

  private static boolean undecided(JsonNode promise) {
    return Verdict.undecided(
        Json.number(promise.get("target")),
        Json.number(promise.get("measured")),
        new Verdict.Range(
            Json.number(promise.get("lowestRound")), Json.number(promise.get("highestRound"))));
  }

  private void promises() {
    say("## What is promised%n");
    say(
        "A ratio is their time by ours. Between the lowest and the highest single round lies the noise.%n"
            + "Where rounds lie on both sides of the bound, and the median within a tenth of it, the run is undecided.%n");
    say("| section | promise | bound | measured | rounds | |%n|---|---|---|---|---|---|");
    int standing = 0;
    int kept = 0;
    int all = 0;
    for (Map.Entry<String, Published> result : results.entrySet()) {
      for (JsonNode promise : result.getValue().promises()) {
        boolean good = promise.get("kept").booleanValue();
        all++;
        kept += good ? 1 : 0;
        if (good && repeats(promise)) {
          standing++;
          continue;
        }
        String unit = promise.get("unit").stringValue();
        say(
            "| %s | %s | %s %s%s | %s%s | %s to %s | %s |",
            result.getKey(),
            promise.get("promise").stringValue(),
            promise.get("bound").stringValue(),
            number(Json.number(promise.get("target"))),
            unit,
            number(Json.number(promise.get("measured"))),
            unit,
            number(Json.number(promise.get("lowestRound"))),
            number(Json.number(promise.get("highestRound"))),
            undecided(promise) ? "undecided" : good ? "kept" : "**not kept**");
      }
    }
    say("");
    say(
        "%d of %d promises are kept; %d of them, on the fpp, size and garbage",
        kept, all, standing);
    say("of each filter in each section, are only in the files.%n");
    results.forEach(
        (name, result) ->
            result
                .failures()
                .forEach(f -> say("- **not measured**, %s: %s%n", name, f.stringValue())));
  }

  /** What holds for every filter in every section. */
  private static boolean repeats(JsonNode promise) {
    String text = promise.get("promise").stringValue();
    return text.matches("(false positives|bits per key:|bytes per|fpp of ).*");
  }

  /** Three digits, or the whole number. */
  private static String number(double number) {
    if (number == Math.rint(number) && Math.abs(number) < 1e15) {
      return String.format(Locale.ROOT, "%,d", (long) number);
    }
    return Math.abs(number) >= 100
        ? String.format(Locale.ROOT, "%,.0f", number)
        : String.format(Locale.ROOT, "%.3g", number);
  }

  /** Where somebody else is faster than the filter of ours that does the same. */
  private void rivals() {
    say("## Where a rival is faster%n");
    List<String> lines = new ArrayList<>();
    results.forEach(
        (name, result) -> {
          for (Row row : result.rows()) {
            if (row.who().startsWith("woodbird") || !timed(row)) {
              continue;
            }
            result.rows().stream()
                .filter(own -> own.metric().equals(row.metric()) && own.at().equals(row.at()))
                .filter(own -> own.who().equals(counterpart(row.who())))
                .filter(own -> own.value() > row.value())
                .forEach(own -> lines.add(line(name, row, own)));
          }
        });
    lines.forEach(this::say);
    say(lines.isEmpty() ? "Nowhere in these results.%n" : "");
  }

  private static boolean timed(Row row) {
    return List.of("ask", "put", "build", "load").contains(row.metric());
  }

  private static String counterpart(String rival) {
    return rival.startsWith("fastfilter-xor") ? "woodbird-fuse" : "woodbird";
  }

  private static String line(String section, Row row, Row own) {
    StringBuilder at = new StringBuilder();
    row.at()
        .forEach(
            (name, value) ->
                at.append(
                        value instanceof Double n ? String.format(Locale.ROOT, "%,.0f", n) : value)
                    .append(' '));
    return String.format(
            Locale.ROOT,
            "- %s, %s, %s: **%s %.3g %s**, %s %.3g %s (%.2fx)",
            section,
            row.metric(),
            at.toString().strip(),
            row.who(),
            row.value(),
            row.unit(),
            own.who(),
            own.value(),
            own.unit(),
            own.value() / row.value())
        .replace("%", "%%");
  }

  /** A table for each section and metric; the best of a column is bold. */
  private void tables() {
    say("## All numbers%n");
    say("Medians; bold is the best of a column, whoever it is.%n");
    results.forEach(
        (name, result) -> {
          say("### %s: %s%n", name, result.text("title"));
          Set<String> metrics = new LinkedHashSet<>();
          result.rows().forEach(row -> metrics.add(row.metric()));
          metrics.forEach(metric -> table(result.rows(metric), metric));
        });
  }

  private void table(List<Row> rows, String metric) {
    Set<String> columns = new LinkedHashSet<>();
    Map<String, Map<String, Row>> table = new LinkedHashMap<>();
    Map<String, Double> best = new TreeMap<>();
    for (Row row : rows) {
      String column = column(row);
      columns.add(column);
      table.computeIfAbsent(row.who(), who -> new LinkedHashMap<>()).put(column, row);
      if (!row.who().equals("limit") && Double.isFinite(row.value())) {
        best.merge(column, row.value(), Math::min);
      }
    }
    say("| %s%s | %s |", metric, unit(rows), String.join(" | ", columns));
    say("|---|%s", "---|".repeat(columns.size()));
    table.entrySet().stream()
        .sorted(Comparator.comparing(entry -> !entry.getKey().startsWith("woodbird")))
        .forEach(
            entry -> {
              StringBuilder line = new StringBuilder("| " + entry.getKey());
              for (String column : columns) {
                Row row = entry.getValue().get(column);
                String text = row == null ? "" : number(row.value());
                boolean bold =
                    row != null
                        && table.size() > 1
                        && best.getOrDefault(column, 0.0) == row.value();
                line.append(" | ").append(bold ? "**" + text + "**" : text);
              }
              out.append(line).append(" |\n");
            });
    say("");
  }

  private static String unit(List<Row> rows) {
    String unit = rows.get(0).unit();
    return unit.isEmpty() ? "" : ", " + unit;
  }

  private static String column(Row row) {
    List<String> parts = new ArrayList<>();
    row.at()
        .forEach(
            (name, value) -> {
              if (name.equals("askedFpp")) {
                parts.add(String.format(Locale.ROOT, "%.3g %%", 100 * (Double) value));
              } else if (name.equals("n")) {
                parts.add(String.format(Locale.ROOT, "%,.0f", ((Number) value).doubleValue()));
              } else if (!value.equals("longs") && !value.equals("any")) {
                parts.add(value.toString());
              }
            });
    return String.join(" ", parts);
  }

  private void limits() {
    say("## What this does not say%n");
    say("- One machine, one run. Ratios carry over to others better than nanoseconds do.");
    say(
        "- Where L3 is larger than the filter, its lines stay there: on such a machine even 100 million keys");
    say("  (128 MB) are not quite out of cache.");
    say("- Filters are asked by one thread. Keys are random longs and URLs of 60 characters.");
    say("- `fpp` of one filter varies with its keys; below a million keys by some percent.");
  }
}
