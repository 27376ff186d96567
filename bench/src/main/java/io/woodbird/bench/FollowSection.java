package io.woodbird.bench;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A guard that asks its database before it denies, under attack.
 *
 * @param attackSeconds how long each attack lasts
 */
record FollowSection(double attackSeconds) implements Section {
  private static final int VIRTUAL_SINCE = 21;

  /**
   * An attack.
   *
   * @param name in words
   * @param threads "platform" or "virtual"
   * @param count how many threads
   * @param freshness how old a proof may be, in ms
   * @param keys "outside" the table's range, or in its "gaps"
   * @param rate questions a second at most; 0 is no limit
   */
  private record Attack(
      String name, String threads, int count, int freshness, String keys, long rate) {
    static Attack paced(long rate, String keys) {
      return new Attack(
          String.format("%,d a second, %s", rate, keys), "platform", 400, 0, keys, rate);
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
    return (int) (12 * (2 * attackSeconds + 4));
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    for (String keys : List.of("outside", "gaps")) {
      run(forks, document, Attack.paced(1_000, keys));
      run(forks, document, Attack.paced(10_000, keys));
      var full =
          run(forks, document, new Attack("200 threads, " + keys, "platform", 200, 0, keys, 0));
      document.add(
          Verdict.atLeast(
              "denied a second, 200 platform threads, " + keys, "", 10_000, full.get("perSecond")));
      if (Runtime.version().feature() >= VIRTUAL_SINCE) {
        run(
            forks,
            document,
            new Attack("100,000 a second, " + keys, "virtual", 8000, 0, keys, 100_000));
        var virtual =
            run(
                forks,
                document,
                new Attack("8,000 virtual threads, " + keys, "virtual", 8000, 0, keys, 0));
        document.add(
            Verdict.atLeast(
                "denied a second, virtual threads, " + keys,
                "",
                100_000,
                virtual.get("perSecond")));
      }
    }
    var bound =
        run(
            forks,
            document,
            new Attack("freshness 100 ms, outside", "platform", 200, 100, "outside", 0));
    document.add(
        Verdict.atLeast("denied a second, freshness 100 ms", "", 100_000, bound.get("perSecond")));
    var paced =
        run(
            forks,
            document,
            new Attack(
                "freshness 100 ms, 10,000 a second", "platform", 200, 100, "outside", 10_000));
    document.add(
        Verdict.atMost("p99 of a denial, freshness 100 ms", " ms", 1, paced.get("p99Millis")));
  }

  private Map<String, Double> run(Forks forks, Document document, Attack attack)
      throws IOException, InterruptedException {
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
    Map<String, Double> got = new LinkedHashMap<>();
    lines.forEach((name, values) -> got.put(name, values.get(0)));
    forks
        .progress()
        .say(
            "%s: %,.0f a second, p50 %.2f ms, p99 %.2f ms, %.1f proofs a second, %.5f loaded",
            attack.name,
            got.get("perSecond"),
            got.get("p50Millis"),
            got.get("p99Millis"),
            got.get("proofsPerSecond"),
            got.get("loadedShare"));
    Map<String, Object> at = Map.of("keys", attack.keys, "freshness", attack.freshness);
    for (String metric : List.of("perSecond", "p50Millis", "p99Millis", "proofsPerSecond")) {
      document.add(Row.of(attack.name, metric, "", at, got.get(metric)));
    }
    document.add(
        Verdict.atMost("proofs a second, " + attack.name, "", 60, got.get("proofsPerSecond")));
    if (attack.freshness == 0) {
      document.add(
          Verdict.atMost("p99 of a denial, " + attack.name, " ms", 50, got.get("p99Millis")));
    }
    return got;
  }
}
