package io.woodbird.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a guard costs over its filter.
 *
 * @param n how many keys exist
 * @param rounds how often each is measured
 * @param effort as in {@link Probe}
 */
record GuardSection(long n, int rounds, double effort) implements Section {
  private static final List<String> SUBJECTS = List.of("filter", "guard", "guard-rebuilding");
  private static final List<Workload> WORKLOADS = List.of(Workload.HIT, Workload.MISS);

  @Override
  public String name() {
    return "guard";
  }

  @Override
  public String title() {
    return "A guard beside its filter alone, one long at a time";
  }

  @Override
  public int seconds() {
    return 40;
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    for (Workload workload : WORKLOADS) {
      Map<String, List<Double>> nanos = new LinkedHashMap<>();
      for (int round = 1; round <= rounds; round++) {
        for (String subject : subjects(workload)) {
          var lines =
              forks.run(List.of("-Xmx1g"), GuardProbe.class, n, subject, workload.label(), effort);
          double ask = Sample.median(lines.get("askNanos"));
          nanos.computeIfAbsent(subject, s -> new ArrayList<>()).add(ask);
          forks.progress().say("%s, %s: %.1f ns", subject, workload.label(), ask);
        }
      }
      Map<String, Object> at = new LinkedHashMap<>();
      at.put("n", n);
      at.put("workload", workload.label());
      nanos.forEach((subject, values) -> document.add(new Row(subject, "ask", "ns", at, values)));
      judge(document, workload, nanos);
    }
  }

  /** A guard that follows asks its source about a miss, which is no question of nanoseconds. */
  private static List<String> subjects(Workload workload) {
    List<String> subjects = new ArrayList<>(SUBJECTS);
    if (workload == Workload.HIT) {
      subjects.add("guard-following");
    }
    return subjects;
  }

  private static void judge(Document document, Workload workload, Map<String, List<Double>> nanos) {
    List<Double> filter = nanos.get("filter");
    for (String subject : subjects(workload).subList(1, subjects(workload).size())) {
      List<Double> extra = new ArrayList<>();
      for (int i = 0; i < filter.size(); i++) {
        extra.add(nanos.get(subject).get(i) - filter.get(i));
      }
      String what = subject + " over its filter, " + workload.label();
      double median = Sample.median(nanos.get(subject)) - Sample.median(filter);
      document.add(Verdict.atMost(what, " ns", 100, median, Verdict.range(extra)));
    }
  }
}
