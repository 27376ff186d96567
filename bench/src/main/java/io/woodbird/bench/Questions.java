package io.woodbird.bench;

import static java.util.stream.Collectors.joining;

import io.woodbird.bench.rival.RivalKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
  record Group(KeyKind<?> kind, Size size, RivalKind rival, List<Workload> workloads) {
    Cell anyCell() {
      return new Cell(kind, size.n(), rival, Workload.MIX);
    }

    boolean isLike(Group other) {
      return size.equals(other.size) && workloads.equals(other.workloads);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%,d, %s", size.n(), rival.label());
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
  List<Group> groups() {
    List<Group> groups = new ArrayList<>();
    for (Size size : sizes) {
      for (List<Workload> some :
          alone ? workloads.stream().map(List::of).toList() : List.of(workloads)) {
        size.rivals().forEach(rival -> groups.add(new Group(kind, size, rival, some)));
      }
    }
    return groups;
  }

  /**
   * Groups that are measured in turns: rivals of one size and workload, as many as fit into three
   * quarters of the memory. What is built from all keys at once is beside its like.
   */
  static List<List<Group>> batches(List<Group> groups, int gigabytes) {
    List<List<Group>> batches = new ArrayList<>();
    for (boolean frozen : new boolean[] {false, true}) {
      int taken = 0;
      Group last = null;
      for (Group group : groups) {
        if (group.rival().frozen() != frozen) {
          continue;
        }
        int heap = group.anyCell().heapGigabytes();
        taken += heap;
        if (last == null || !group.isLike(last) || taken > gigabytes * 3 / 4) {
          batches.add(new ArrayList<>());
          taken = heap;
        }
        batches.get(batches.size() - 1).add(group);
        last = group;
      }
    }
    return batches;
  }

  @Override
  public void measure(Forks forks, Document document) throws IOException, InterruptedException {
    Results results = new Results();
    List<List<Group>> batches = batches(groups(), Machine.memoryGigabytes());
    for (int round = 1; round <= rounds; round++) {
      for (List<Group> batch : batches) {
        List<Fork> done = forks.runInTurns(batch.stream().map(this::job).toList());
        for (int i = 0; i < batch.size(); i++) {
          Group group = batch.get(i);
          try {
            String nanos = add(group, done.get(i).values(), results);
            forks.progress().say("round %d of %d, %s: %s", round, rounds, group, nanos);
          } catch (IllegalStateException e) {
            document.fail(kind.name() + ", " + group + ": " + e.getMessage());
            forks.progress().say("%s: %s", group, e.getMessage());
          }
        }
        // The first in one round is the last in the next one.
        Collections.reverse(batch);
      }
      Collections.reverse(batches);
    }
    results.rows().forEach(document::add);
    claims.forEach(claim -> document.add(claim.judge(results)));
    results.standing().forEach(document::add);
  }

  private Forks.Job job(Group group) {
    Cell any = group.anyCell();
    String labels = group.workloads().stream().map(Workload::label).collect(joining(","));
    return new Forks.Job(
        any.jvmOptions(),
        Probe.class,
        List.of(kind.name(), any.n(), any.rival().label(), labels, effort));
  }

  private static String add(Group group, Map<String, List<Double>> lines, Results results) {
    Cell any = group.anyCell();
    Sample filling = Sample.of(lines, "");
    results.addFilling(any, filling);
    StringBuilder said = new StringBuilder();
    for (Workload workload : group.workloads()) {
      Sample sample = Sample.of(lines, workload.label() + ".");
      results.add(any.of(workload), sample);
      said.append(String.format(Locale.ROOT, "%s %.1f ns, ", workload.label(), sample.ask()));
    }
    return said.append(String.format(Locale.ROOT, "put %.1f ns", filling.put())).toString();
  }
}
