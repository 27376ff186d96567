package io.woodbird.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A guard that asks its database before it denies, under attack.
 *
 * @param attackSeconds how long each attack lasts
 * @param rounds how many rounds of each attack count, with their median
 */
record FollowSection(double attackSeconds, int rounds) implements Section {
  private static final int VIRTUAL_SINCE = 21;

  /**
   * A round does not count if the host gave more of the processors' time to others: then it, and
   * not the guard, decides the 99th percentile. One in a hundred questions would wait for that.
   */
  private static final double MOST_STOLEN_PERCENT = 1;

  /** Rounds that are tried for one that counts. */
  private static final int TRIES = 4;

  /**
   * An attack.
   *
   * @param name in words
   * @param threads "platform", "virtual", or "requests": a virtual thread for each question
   * @param count how many threads, unless each question has one
   * @param freshness how old a proof may be, in ms
   * @param keys "outside" the table's range, or in its "gaps"
   * @param rate questions a second at most; 0 is no limit
   */
  private record Attack(
      String name, String threads, int count, int freshness, String keys, long rate) {
    static Attack paced(long rate, String keys) {
      return new Attack(
          String.format(Locale.ROOT, "%,d a second, %s", rate, keys),
          "platform",
          400,
          0,
          keys,
          rate);
    }
  }

  @Override
  public String name() {
    return "follow";
  }

  @Override
  public String title() {
    return "A guard that asks PostgreSQL before it denies, under attack";
  }

  @Override
  public int seconds() {
    return (int) (12 * rounds * (2 * attackSeconds + 4));
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    for (String keys : List.of("outside", "gaps")) {
      run(forks, document, Attack.paced(1_000, keys));
      run(forks, document, Attack.paced(10_000, keys));
      var full =
          run(forks, document, new Attack("200 threads, " + keys, "platform", 200, 0, keys, 0));
      document.add(
          atLeast("denied a second, 200 platform threads, " + keys, 10_000, full.get("perSecond")));
      if (Runtime.version().feature() >= VIRTUAL_SINCE) {
        run(
            forks,
            document,
            new Attack("100,000 a second, " + keys, "requests", 0, 0, keys, 100_000));
        var virtual =
            run(
                forks,
                document,
                new Attack("8,000 virtual threads, " + keys, "virtual", 8000, 0, keys, 0));
        document.add(
            atLeast(
                "denied a second, virtual threads, " + keys, 100_000, virtual.get("perSecond")));
      }
    }
    var bound =
        run(
            forks,
            document,
            new Attack("freshness 100 ms, outside", "platform", 200, 100, "outside", 0));
    document.add(atLeast("denied a second, freshness 100 ms", 100_000, bound.get("perSecond")));
    var paced =
        run(
            forks,
            document,
            new Attack(
                "freshness 100 ms, 10,000 a second", "platform", 200, 100, "outside", 10_000));
    document.add(atMost("p99 of a denial, freshness 100 ms", " ms", 1, paced.get("p99Millis")));
  }

  /** Returns what all rounds gave, by metric. */
  private Map<String, List<Double>> run(Forks forks, Document document, Attack attack)
      throws IOException, InterruptedException {
    Map<String, List<Double>> all = new LinkedHashMap<>();
    Map<String, List<Double>> disturbed = new LinkedHashMap<>();
    int counted = 0;
    for (int tries = 0; tries < TRIES * rounds && counted < rounds; tries++) {
      var lines =
          forks.run(
              List.of("-Xmx1g"),
              FollowProbe.class,
              attack.threads,
              attack.count,
              attack.freshness,
              attack.keys,
              attack.rate,
              attackSeconds);
      boolean counts = lines.get("stolenPercent").get(0) <= MOST_STOLEN_PERCENT;
      counted += counts ? 1 : 0;
      var into = counts ? all : disturbed;
      lines.forEach(
          (name, values) ->
              into.computeIfAbsent(name, some -> new ArrayList<>()).add(values.get(0)));
      forks
          .progress()
          .say(
              "%s: %,.0f a second, p50 %.2f ms, p99 %.2f ms, %.1f proofs a second, %.5f loaded,"
                  + " %.1f %% of the processors taken by the host",
              attack.name,
              lines.get("perSecond").get(0),
              lines.get("p50Millis").get(0),
              lines.get("p99Millis").get(0),
              lines.get("proofsPerSecond").get(0),
              lines.get("loadedShare").get(0),
              lines.get("stolenPercent").get(0));
    }
    if (counted == 0) {
      all.putAll(disturbed); // Better than nothing; the share is in the results.
    }
    Map<String, Object> at = Map.of("keys", attack.keys, "freshness", attack.freshness);
    for (String metric :
        List.of("perSecond", "p50Millis", "p99Millis", "proofsPerSecond", "stolenPercent")) {
      double[] values = all.get(metric).stream().mapToDouble(Double::doubleValue).toArray();
      document.add(Row.of(attack.name, metric, "", at, values));
    }
    document.add(atMost("proofs a second, " + attack.name, "", 60, all.get("proofsPerSecond")));
    if (attack.freshness == 0) {
      document.add(atMost("p99 of a denial, " + attack.name, " ms", 50, all.get("p99Millis")));
    }
    return all;
  }

  private static Verdict atMost(String promise, String unit, double target, List<Double> rounds) {
    return Verdict.atMost(promise, unit, target, Sample.median(rounds), Verdict.range(rounds));
  }

  private static Verdict atLeast(String promise, double target, List<Double> rounds) {
    return Verdict.atLeast(promise, "", target, Sample.median(rounds), Verdict.range(rounds));
  }
}
