package io.woodbird.docs;

import io.woodbird.FilterPlan;
import io.woodbird.Woodbird;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.Yaml;

/**
 * The tables of numbers on the pages. Each stands between {@code <!-- numbers: NAME -->} and {@code
 * <!-- end -->} and is made here: from the results in docs/benchmarks, or from the library itself.
 */
final class Numbers {
  private static final Pattern REGION =
      Pattern.compile("(<!-- numbers: ([a-z-]+) -->\n)(.*?)(<!-- end -->)", Pattern.DOTALL);

  /** Who is shown, if measured, by the names that the benchmarks give them. */
  static final Map<String, String> CONTENDERS = new LinkedHashMap<>(); // In the order of a table.

  static {
    CONTENDERS.put("woodbird", "**Woodbird** `bloom`");
    CONTENDERS.put("woodbird-batch", "**Woodbird** `bloom`, in batches");
    CONTENDERS.put("woodbird-fuse", "**Woodbird** `frozen().fastToAsk()`");
    CONTENDERS.put("woodbird-ribbon", "**Woodbird** `frozen`");
    CONTENDERS.put("fastfilter-blocked", "fastfilter `BlockedBloom`");
    CONTENDERS.put("fastfilter-xor8", "fastfilter `Xor8`");
    CONTENDERS.put("datasketches", "DataSketches `BloomFilter`");
    CONTENDERS.put("guava", "Guava `BloomFilter`");
    CONTENDERS.put("spark", "Spark `BloomFilter`");
    CONTENDERS.put("hashset", "`HashSet`");
  }

  private static final Pattern STEP =
      Pattern.compile("(?m)^([a-z]+) +(\\S+) +([0-9]+) bytes +([0-9.]+) s$");

  private final Path results;

  /** Reads results from a folder, if there are any. */
  Numbers(Path results) {
    this.results = results;
  }

  /** A page with all its tables made anew. */
  String refresh(String page) throws IOException {
    StringBuilder fresh = new StringBuilder();
    Matcher region = REGION.matcher(page);
    while (region.find()) {
      String table = region.group(1) + table(region.group(2)) + region.group(4);
      region.appendReplacement(fresh, Matcher.quoteReplacement(table));
    }
    region.appendTail(fresh);
    return fresh.toString();
  }

  private String table(String name) throws IOException {
    boolean chinese = name.endsWith("-zh");
    Properties words = words(chinese ? "numbers-zh.properties" : "numbers.properties");
    return switch (name.replaceFirst("-zh$", "")) {
      case "sizes" -> sizes(words);
      case "speed" -> speed(words);
      case "by-keys" -> byKeys(words);
      case "guava" -> guava(words);
      case "settings" -> SettingsTable.table(words, chinese);
      case "sets" -> read("space").map(r -> GuideTables.sets(words, r)).orElse(missing(words));
      case "libraries" ->
          read("middle").map(r -> GuideTables.libraries(words, r)).orElse(missing(words));
      case "redis" -> read("redis").map(r -> GuideTables.redis(words, r)).orElse(missing(words));
      case "blocklist" -> blocklist(words);
      default -> throw new AssertionError("there is no table of numbers '" + name + "'");
    };
  }

  /** What the steps of examples/blocklist take, from the output in its README. */
  private static String blocklist(Properties words) throws IOException {
    String readme = Files.readString(Page.root().resolve("examples/blocklist/README.md"));
    StringBuilder table = new StringBuilder(words.getProperty("blocklist.head"));
    table.append("\n|---|---|---:|---:|\n");
    Matcher step = STEP.matcher(readme);
    int steps = 0;
    for (; step.find(); steps++) {
      table.append(
          String.format(
              Locale.ROOT,
              "| `%s` | `%s` | %,d | %s |%n",
              step.group(1),
              step.group(2),
              Long.parseLong(step.group(3)),
              step.group(4)));
    }
    if (steps < 5) {
      throw new AssertionError("examples/blocklist/README.md says too little of its steps");
    }
    return table.toString();
  }

  private static String missing(Properties words) {
    return words.getProperty("speed.missing") + "\n";
  }

  private static Properties words(String file) throws IOException {
    Properties words = new Properties();
    try (InputStream in = Objects.requireNonNull(Numbers.class.getResourceAsStream(file))) {
      words.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    }
    return words;
  }

  /** Bits per key of each family, from the planner. */
  private static String sizes(Properties words) {
    double[] fpps = {0.1, 0.01, 0.001, 1e-4, 1e-6};
    StringBuilder table = new StringBuilder(words.getProperty("sizes.head"));
    for (double fpp : fpps) {
      table.append(
          String.format(Locale.ROOT, " %s %% |", fpp == 1e-6 ? "0.0001" : trimmed(100 * fpp)));
    }
    table.append("\n|---").append("|---:".repeat(fpps.length)).append("|\n");
    List<String> families =
        Woodbird.plan(10_000_000).fpp(0.01).plans().stream().map(FilterPlan::family).toList();
    for (String family : families) {
      table.append("| `").append(family).append("` |");
      for (double fpp : fpps) {
        double bits =
            Woodbird.plan(10_000_000).fpp(fpp).plans().stream()
                .filter(plan -> plan.family().equals(family))
                .findFirst()
                .orElseThrow()
                .bitsPerKey();
        table.append(String.format(Locale.ROOT, " %.1f |", bits));
      }
      table.append('\n');
    }
    table.append("| ").append(words.getProperty("sizes.limit")).append(" |");
    for (double fpp : fpps) {
      table.append(String.format(Locale.ROOT, " %.1f |", -Math.log(fpp) / Math.log(2)));
    }
    return table.append('\n').toString();
  }

  private static String trimmed(double value) {
    return String.format(Locale.ROOT, "%.2f", value).replaceFirst("\\.?0+$", "");
  }

  /** Nanoseconds per question, from the results. */
  private String speed(Properties words) throws IOException {
    Optional<Map<?, ?>> cache = read("cache");
    Optional<Map<?, ?>> memory = read("memory");
    Optional<Map<?, ?>> strings = read("strings");
    if (cache.isEmpty() || memory.isEmpty() || strings.isEmpty()) {
      return missing(words);
    }
    List<Column> columns =
        List.of(
            new Column(cache.get(), "ask", "longs", largest(cache.get())),
            new Column(memory.get(), "ask", "longs", largest(memory.get())),
            new Column(strings.get(), "ask", "strings", largest(strings.get())),
            new Column(cache.get(), "bitsPerKey", "longs", largest(cache.get())),
            new Column(cache.get(), "fpp", "longs", largest(cache.get())));
    List<Optional<Column>> others = new ArrayList<>();
    for (String section : List.of("cache", "memory", "strings")) {
      Column column = columns.get(others.size());
      others.add(
          read(section + "-jdk25")
              .map(other -> new Column(other, column.metric, column.keys, column.n)));
    }
    StringBuilder table = new StringBuilder();
    boolean both = others.stream().anyMatch(Optional::isPresent);
    table.append(
        String.format(
            Locale.ROOT,
            words.getProperty(both ? "speed.head.both" : "speed.head"),
            columns.get(0).n,
            columns.get(1).n,
            columns.get(2).n));
    table.append("\n|---").append("|---:".repeat(columns.size())).append("|\n");
    for (Map.Entry<String, String> who : CONTENDERS.entrySet()) {
      List<String> cells = new ArrayList<>();
      for (Column column : columns) {
        String other =
            cells.size() < others.size()
                ? others.get(cells.size()).map(o -> o.cell(who.getKey())).orElse("")
                : "";
        String cell = column.cell(who.getKey());
        cells.add(cell.isEmpty() || other.isEmpty() ? cell : cell + " / " + other);
      }
      if (cells.subList(0, 3).stream().anyMatch(cell -> !cell.isEmpty())) {
        table.append("| ").append(named(words, who.getValue())).append(" | ");
        table.append(String.join(" | ", cells)).append(" |\n");
      }
    }
    return table
        .append('\n')
        .append(foot(words.getProperty("speed.foot"), cache.get()))
        .append('\n')
        .toString();
  }

  /** The name of a contender in the language of the table. */
  static String named(Properties words, String contender) {
    return contender.replace(", in batches", words.getProperty("batches"));
  }

  /** Nanoseconds per question about a long, by the number of keys. */
  private String byKeys(Properties words) throws IOException {
    StringBuilder table = new StringBuilder(words.getProperty("by-keys.head"));
    table.append("\n|---:|---:|---:|---:|---:|\n");
    for (String section : List.of("lookup", "middle", "memory")) {
      Optional<Map<?, ?>> document = read(section);
      if (document.isEmpty()) {
        return missing(words);
      }
      for (long n : sizes(document.get(), "longs")) {
        Column column = new Column(document.get(), "ask", "longs", n);
        table.append(String.format(Locale.ROOT, "| %,d |", n));
        for (String who :
            List.of("woodbird-ribbon", "woodbird-fuse", "woodbird", "woodbird-batch")) {
          table.append(' ').append(column.cell(who)).append(" |");
        }
        table.append('\n');
      }
    }
    return table.toString();
  }

  /** How many times as fast as Guava, by what is asked. */
  private String guava(Properties words) throws IOException {
    StringBuilder table = new StringBuilder(words.getProperty("guava.head"));
    table.append("\n|---|---:|---:|---:|---:|\n");
    for (String section : List.of("cache", "memory", "strings")) {
      Optional<Map<?, ?>> document = read(section);
      if (document.isEmpty()) {
        return missing(words);
      }
      String keys = section.equals("strings") ? "strings" : "longs";
      for (long n : sizes(document.get(), keys)) {
        Column column = new Column(document.get(), "ask", keys, n);
        double guava = column.value("guava").orElseThrow();
        table.append(
            String.format(
                Locale.ROOT,
                "| "
                    + words.getProperty("guava." + keys)
                    + " | %.0f | %.0f | %.0f | %.1f, %.1f |%n",
                n,
                guava,
                column.value("woodbird").orElseThrow(),
                column.value("woodbird-batch").orElseThrow(),
                guava / column.value("woodbird").orElseThrow(),
                guava / column.value("woodbird-batch").orElseThrow()));
      }
    }
    return table.toString();
  }

  /** The numbers of keys that were measured, ascending. */
  private static List<Long> sizes(Map<?, ?> document, String keys) {
    return rows(document).stream()
        .filter(row -> keys.equals(row.get("keys")) && "ask".equals(row.get("metric")))
        .map(row -> ((Number) row.get("n")).longValue())
        .distinct()
        .sorted()
        .toList();
  }

  private String foot(String foot, Map<?, ?> cache) throws IOException {
    int promises = 0;
    int kept = 0;
    try (var files = Files.list(results)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".json")).sorted().toList()) {
        Map<?, ?> document = new Yaml().load(Files.readString(file));
        for (Object promise : (List<?>) document.get("promises")) {
          promises++;
          kept += Boolean.TRUE.equals(((Map<?, ?>) promise).get("kept")) ? 1 : 0;
        }
      }
    }
    Map<?, ?> machine = (Map<?, ?>) cache.get("machine");
    String date = cache.get("date").toString();
    if (cache.get("date") instanceof java.util.Date parsed) {
      date = parsed.toInstant().toString();
    }
    return String.format(
        Locale.ROOT,
        foot,
        machine.get("cpu"),
        machine.get("jdk").toString().replaceFirst("[^0-9.].*", ""),
        date.substring(0, 10),
        "bench/run cache memory strings", // What measures the three sections of the table again.
        kept,
        promises);
  }

  /** The results of a section; none if it was measured in a hurry, which is not to be published. */
  private Optional<Map<?, ?>> read(String section) throws IOException {
    Path file = results.resolve(section + ".json");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    Map<?, ?> document = new Yaml().load(Files.readString(file));
    return Boolean.TRUE.equals(document.get("quick")) ? Optional.empty() : Optional.of(document);
  }

  /** The measured rows of a document. */
  static List<Map<?, ?>> rows(Map<?, ?> document) {
    List<Map<?, ?>> rows = new ArrayList<>();
    ((List<?>) document.get("rows")).forEach(row -> rows.add((Map<?, ?>) row));
    return rows;
  }

  private static long largest(Map<?, ?> document) {
    return rows(document).stream()
        .map(row -> row.get("n"))
        .filter(Objects::nonNull)
        .mapToLong(n -> ((Number) n).longValue())
        .max()
        .orElseThrow();
  }

  /** One column: a metric of one section, at one number of keys; questions are misses. */
  private record Column(Map<?, ?> document, String metric, String keys, long n) {
    OptionalDouble value(String who) {
      return rows(document).stream()
          .filter(row -> who.equals(row.get("who")) && metric.equals(row.get("metric")))
          .filter(row -> keys.equals(row.get("keys")))
          .filter(row -> ((Number) row.get("n")).longValue() == n)
          .filter(row -> !metric.equals("ask") || "miss".equals(row.get("workload")))
          .mapToDouble(row -> ((Number) row.get("value")).doubleValue())
          .findFirst();
    }

    String cell(String who) {
      OptionalDouble value = value(who);
      if (value.isEmpty()) {
        return "";
      }
      return metric.equals("fpp")
          ? String.format(Locale.ROOT, "%.2f %%", 100 * value.getAsDouble())
          : String.format(Locale.ROOT, "%.1f", value.getAsDouble());
    }
  }
}
