package io.woodbird.docs;

import io.woodbird.FilterPlan;
import io.woodbird.Woodbird;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;

/** The tables that put a Bloom filter beside other ways: other structures, other libraries. */
final class GuideTables {
  private static final long[] COUNTS = {1_000_000, 100_000_000, 1_000_000_000};

  private GuideTables() {}

  /** What a set of longs takes: as a {@code HashSet}, as a bitmap, as filters from the planner. */
  static String sets(Properties words, Map<?, ?> space) {
    StringBuilder table = new StringBuilder(words.getProperty("sets.head"));
    for (long count : COUNTS) {
      table.append(String.format(Locale.ROOT, " %,d |", count));
    }
    table.append("\n|---").append("|---:".repeat(COUNTS.length)).append("|\n");
    double hashSet = value(space, "hashset", "heapBitsPerKey", null);
    row(table, words.getProperty("sets.hashset"), n -> hashSet * n / 8);
    // One bit for each int, whether it is in the set or not.
    row(table, words.getProperty("sets.bitmap"), n -> (double) (1L << 32) / 8);
    for (double fpp : new double[] {0.01, 0.001}) {
      String percent = fpp == 0.01 ? "1 %" : "0.1 %";
      row(table, "`bloom`, " + percent, n -> planned("bloom", n, fpp));
      row(table, "`frozen`, " + percent, n -> planned("ribbon", n, fpp));
    }
    return table.toString();
  }

  private interface Bytes {
    double of(long keys);
  }

  private static void row(StringBuilder table, String name, Bytes bytes) {
    table.append("| ").append(name).append(" |");
    for (long count : COUNTS) {
      table.append(' ').append(size(bytes.of(count))).append(" |");
    }
    table.append('\n');
  }

  private static double planned(String family, long keys, double fpp) {
    return Woodbird.plan(keys).fpp(fpp).plans().stream()
        .filter(plan -> plan.family().equals(family))
        .mapToLong(FilterPlan::bytes)
        .findFirst()
        .orElseThrow();
  }

  private static String size(double bytes) {
    return bytes < 1e9
        ? String.format(Locale.ROOT, bytes < 1e7 ? "%.1f MB" : "%.0f MB", bytes / 1e6)
        : String.format(Locale.ROOT, "%.1f GB", bytes / 1e9);
  }

  /** Libraries in memory: time of a question, time of a put, size, false positives. */
  static String libraries(Properties words, Map<?, ?> middle) {
    StringBuilder table = new StringBuilder(words.getProperty("libraries.head"));
    table.append("\n|---|---:|---:|---:|---:|\n");
    Numbers.CONTENDERS.forEach(
        (who, name) -> {
          double put = value(middle, who, "put", null);
          table.append(
              String.format(
                  Locale.ROOT,
                  "| %s | %.0f | %s | %.1f | %.2f %% |%n",
                  Numbers.named(words, name),
                  value(middle, who, "ask", "miss"),
                  Double.isNaN(put)
                      ? String.format(
                          Locale.ROOT,
                          words.getProperty("libraries.built"),
                          value(middle, who, "build", null))
                      : String.format(Locale.ROOT, "%.0f", put),
                  value(middle, who, "bitsPerKey", null),
                  100 * value(middle, who, "fpp", null)));
        });
    return table.toString();
  }

  /** A filter in Redis beside Redisson's. */
  static String redis(Properties words, Map<?, ?> redis) {
    StringBuilder table = new StringBuilder(words.getProperty("redis.head"));
    table.append("\n|---|---:|---:|\n");
    for (String[] row :
        new String[][] {{"ask", "single"}, {"ask", "batch"}, {"put", "batch"}, {"load", "all"}}) {
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %.1f | %.1f |%n",
              words.getProperty("redis." + row[0] + "." + row[1]),
              call(redis, "woodbird", row[0], row[1]),
              call(redis, "redisson", row[0], row[1])));
    }
    return table.toString();
  }

  private static double call(Map<?, ?> document, String who, String metric, String call) {
    return Numbers.rows(document).stream()
        .filter(row -> who.equals(row.get("who")) && metric.equals(row.get("metric")))
        .filter(row -> call.equals(row.get("call")))
        .mapToDouble(row -> ((Number) row.get("value")).doubleValue())
        .findFirst()
        .orElseThrow();
  }

  /** A number for longs; not a number if it was not measured. */
  private static double value(Map<?, ?> document, String who, String metric, String workload) {
    List<Map<?, ?>> rows = Numbers.rows(document);
    return rows.stream()
        .filter(row -> who.equals(row.get("who")) && metric.equals(row.get("metric")))
        .filter(row -> "longs".equals(row.get("keys")))
        .filter(row -> workload == null || Objects.equals(workload, row.get("workload")))
        .mapToDouble(row -> ((Number) row.get("value")).doubleValue())
        .findFirst()
        .orElse(Double.NaN);
  }
}
