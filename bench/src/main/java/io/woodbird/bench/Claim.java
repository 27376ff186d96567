package io.woodbird.bench;

import java.util.List;

/** Something that is said about a section, and can be judged. */
interface Claim {
  Verdict judge(Results results);

  /** That filling takes at most so many nanoseconds of one core per key, all threads together. */
  static Claim buildCpu(String what, Cell cell, double mostNanos) {
    return results -> {
      List<Double> nanos = results.fillings(cell, Sample::cpu);
      return Verdict.atMost(what, " ns", mostNanos, Sample.median(nanos), Verdict.range(nanos));
    };
  }
}
