package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/**
 * A section that fills rivals, asks them, and compares the times.
 *
 * @param sizes how many keys, and whom to ask at that size
 * @param workloads none, to measure filling alone
 * @param alone whether each workload gets a JVM of its own, in which the compiler has seen no other
 * @param rounds how often each cell is measured, all of them once before any of them twice
 * @param effort as in {@link Probe}
 * @param claims what is said about it
 */
record Questions(
    String name,
    String title,
    int seconds,
    KeyKind<?> kind,
    List<Size> sizes,
    List<Workload> workloads,
    boolean alone,
    int rounds,
    double effort,
    List<Claim> claims)
    implements Section {
  /** A number of keys, and who is measured with so many. */
  record Size(long n, Set<RivalKind> rivals) {}

  /** What one JVM measures: cells that differ in their workload only. */
  private record Group(Size size, RivalKind rival, List<Workload> workloads) {
    @Override
    public String toString() {
      return String.format("%,d, %s", size.n(), rival.label());
    }
  }

  /** All that is measured in a round. */
  List<Cell> cells() {
    List<Cell> cells = new ArrayList<>();
    for (Size size : sizes) {
      for (RivalKind rival : size.rivals()) {
        workloads.forEach(workload -> cells.add(new Cell(kind, size.n(), rival, workload)));
      }
    }
    return cells;
  }

  /** The rivals of one size and workload follow one another. */
  private List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (Size size : sizes) {
      for (List<Workload> some :
          alone ? workloads.stream().map(List::of).toList() : List.of(workloads)) {
        size.rivals().forEach(rival -> groups.add(new Group(size, rival, some)));
      }
    }
    return groups;
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    Results results = new Results();
    List<Group> groups = groups();
    for (int round = 1; round <= rounds; round++) {
      for (Group group : groups) {
        try {
          String nanos = measure(forks, group, results);
          forks.progress().say("round %d of %d, %s: %s", round, rounds, group, nanos);
        } catch (IllegalStateException e) {
          document.fail(kind.name() + ", " + group + ": " + e.getMessage());
          forks.progress().say("%s: %s", group, e.getMessage());
        }
      }
      // Who comes first after a pause, or last on a warm machine, is not always the same.
      Collections.reverse(groups);
    }
    results.rows().forEach(document::add);
    claims.forEach(claim -> document.add(claim.judge(results)));
    results.standing().forEach(document::add);
  }

  private String measure(Forks forks, Group group, Results results)
      throws IOException, InterruptedException {
    Cell any = new Cell(kind, group.size().n(), group.rival(), Workload.MIX);
    List<String> labels = group.workloads().stream().map(Workload::label).toList();
    var lines =
        forks.run(
            any.jvmOptions(),
            Probe.class,
            kind.name(),
            any.n(),
            any.rival().label(),
            String.join(",", labels),
            effort);
    Sample filling = Sample.of(lines, "");
    results.addFilling(any, filling);
    StringBuilder said = new StringBuilder();
    for (Workload workload : group.workloads()) {
      Sample sample = Sample.of(lines, workload.label() + ".");
      results.add(any.of(workload), sample);
      said.append(String.format("%s %.1f ns, ", workload.label(), sample.ask()));
    }
    return said.append(String.format("put %.1f ns", filling.put())).toString();
  }
}
