package io.woodbird.bench;

import io.woodbird.bench.rival.RivalKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One measurement: what one JVM of its own does.
 *
 * @param kind the keys
 * @param n how many keys are put
 * @param rival who is asked
 * @param workload about what
 */
record Cell(KeyKind<?> kind, long n, RivalKind rival, Workload workload) {
  /** The same cell of another rival. */
  Cell of(RivalKind other) {
    return new Cell(kind, n, other, workload);
  }

  /** The same cell with another workload. */
  Cell of(Workload other) {
    return new Cell(kind, n, rival, other);
  }

  /** The options of its JVM. */
  List<String> jvmOptions() {
    List<String> options = new ArrayList<>();
    options.add("-XX:+UseG1GC");
    options.add("-Xms" + heapGigabytes() + "g");
    options.add("-Xmx" + heapGigabytes() + "g");
    // A question about a String allocates 80 bytes. So that no timed pass is the first to touch a
    // page of the heap.
    options.add("-XX:+AlwaysPreTouch");
    options.addAll(rival.jvmOptions());
    return options;
  }

  /** The heap of its JVM, all of which it touches at once. */
  int heapGigabytes() {
    if (n < 1_000_000) {
      return 1;
    }
    if (n < 100_000_000 && kind.equals(KeyKind.LONGS)) {
      return 2; // Ten million Longs in a HashSet take 0.7 GB.
    }
    // Xor8 builds in some 40 bytes per key.
    return rival.frozen() && n >= 100_000_000 ? 8 : 4;
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT, "%,d %s, %s, %s", n, kind.name(), rival.label(), workload.label());
  }
}
