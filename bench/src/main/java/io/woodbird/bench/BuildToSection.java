package io.woodbird.bench;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What buildTo takes for ten times the keys.
 *
 * @param small fewer keys
 * @param large more keys
 */
record BuildToSection(long small, long large) implements Section {
  private static final List<String> JVM = List.of("-XX:+UseG1GC", "-Xmx640m");

  @Override
  public String name() {
    return "build-to";
  }

  @Override
  public String title() {
    return "Memory and time of buildTo: URLs streamed into a frozen file at 1 %, memory limit 500 MB";
  }

  @Override
  public int seconds() {
    return 75;
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    for (long n : List.of(small, large)) {
      Map<String, Object> at = new LinkedHashMap<>();
      at.put("keys", KeyKind.STRINGS.name());
      at.put("n", n);
      forks
          .run(JVM, BuildToProbe.class, n)
          .forEach(
              (metric, values) ->
                  document.add(new Row("woodbird-ribbon", metric, unit(metric), at, values)));
      forks.progress().say("%,d keys", n);
    }
    ratio(document, "peak heap after collections", "peakLiveBytes");
    ratio(document, "peak resident memory", "peakResidentBytes");
  }

  private static String unit(String metric) {
    return metric.endsWith("Bytes") ? "B" : metric.endsWith("Seconds") ? "s" : "ns";
  }

  /**
   * Flat: the few keys need no temporary file, the many do; memory that grew with n would be 10.
   */
  private void ratio(Document document, String what, String metric) {
    double few = value(document, metric, small);
    double many = value(document, metric, large);
    String text = String.format(Locale.ROOT, "%s of buildTo: %,d / %,d keys", what, large, small);
    document.add(Verdict.atMost(text, "x", 1.5, many / few));
  }

  private static double value(Document document, String metric, long n) {
    return document.rows().stream()
        .filter(row -> row.metric().equals(metric) && row.at().get("n").equals(n))
        .mapToDouble(Row::value)
        .findFirst()
        .orElse(Double.NaN);
  }
}
