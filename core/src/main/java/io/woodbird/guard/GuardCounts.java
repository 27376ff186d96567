package io.woodbird.guard;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What a guard counts while many threads ask it: one counter for each number of {@link GuardStats}.
 */
final class GuardCounts {
  final LongAdder stopped = new LongAdder();
  final LongAdder maybe = new LongAdder();
  final LongAdder rejected = new LongAdder();
  final LongAdder loaded = new LongAdder();
  final LongAdder found = new LongAdder();
  final LongAdder missed = new LongAdder();
  final LongAdder falsePositives = new LongAdder();
  final LongAdder failed = new LongAdder();
  final LongAdder audited = new LongAdder();
  final LongAdder wrong = new LongAdder();
  private final ConcurrentMap<String, LongAdder> unknown = new ConcurrentHashMap<>();

  /** Counts a question without an answer, by its reason. */
  void unknown(String reason) {
    LongAdder count = unknown.get(reason);
    if (count == null) {
      count = unknown.computeIfAbsent(reason, name -> new LongAdder());
    }
    count.increment();
  }

  /** Every question was stopped, or "maybe here", or unknown, or audited: their sum is "asked". */
  GuardStats snapshot(List<String> doubts) {
    Map<String, Long> reasons = new TreeMap<>();
    long unknowns = 0;
    for (Map.Entry<String, LongAdder> reason : unknown.entrySet()) {
      long count = reason.getValue().sum();
      reasons.put(reason.getKey(), count);
      unknowns += count;
    }
    long stops = stopped.sum();
    long maybes = maybe.sum();
    long audits = audited.sum();
    return new GuardStats(
        stops + maybes + unknowns + audits,
        stops,
        maybes,
        unknowns,
        Map.copyOf(reasons),
        rejected.sum(),
        loaded.sum(),
        found.sum(),
        missed.sum(),
        falsePositives.sum(),
        failed.sum(),
        audits,
        wrong.sum(),
        doubts);
  }
}
