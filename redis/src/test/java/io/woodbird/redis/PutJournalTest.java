package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.testkit.Trials;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/** A shard as a list of what was done to it, which servers that come back have cut short. */
final class PutJournalTest {
  /** What may be lost at once. */
  private static final int LAG = 40;

  /**
   * Puts, breaks, and healings that may not come to an end before the next break. What was put is
   * there after a healing, or the journal says that it does not reach back so far.
   */
  @Test
  void whatItCallsWholeIsWhole() {
    int[] outcomes = new int[2];
    Trials.run(
        "journal of one shard",
        100,
        random -> {
          PutJournal journal = new PutJournal(2_048);
          AtomicLongArray seen = new AtomicLongArray(1);
          List<Long> shard = new ArrayList<>();
          Set<Long> acknowledged = new HashSet<>();
          long key = 0;
          long base = Long.MAX_VALUE; // The least count since it was whole.
          for (int step = 0; step < 60; step++) {
            int puts = random.nextInt(step % 20 == 19 ? 1_500 : 150);
            for (int i = 0; i < puts; i++) {
              long place = journal.add(new long[] {key}, 0, 1, seen);
              shard.add(key);
              seen.accumulateAndGet(0, shard.size(), Math::max);
              acknowledged.add(key++);
              journal.ended(place);
            }
            int left = Math.max(0, shard.size() - random.nextInt(LAG));
            shard.subList(left, shard.size()).clear();
            base = Math.min(base, shard.size());
            if (random.nextInt(3) == 0) {
              continue; // Nobody heals it before the next break.
            }
            long from = journal.from(0, base);
            PutJournal.Part part = journal.since(from);
            if (!journal.reaches(from)) {
              outcomes[0]++;
              return;
            }
            for (long hash : part.hashes()) {
              shard.add(hash);
            }
            assertThat(new HashSet<>(shard)).isEqualTo(acknowledged);
            seen.set(0, shard.size());
            journal.restored(part.end(), 1, Map.of(0, base), Map.of(0, (long) shard.size()));
            base = Long.MAX_VALUE;
            outcomes[1]++;
          }
        });
    assertThat(outcomes[1]).as("healings").isGreaterThan(1_000);
    assertThat(outcomes[0]).as("trials in which something was too old").isLessThan(40);
  }

  @Test
  void aPutInFlightIsBehindEveryMark() {
    PutJournal journal = new PutJournal(256);
    AtomicLongArray seen = new AtomicLongArray(1);
    long slow = journal.add(new long[] {-1}, 0, 1, seen);
    for (long key = 0; key < 100; key++) {
      seen.incrementAndGet(0);
      journal.ended(journal.add(new long[] {key}, 0, 1, seen));
    }
    assertThat(journal.from(0, 1_000)).isZero();
    journal.ended(slow);
    for (long key = 100; key < 200; key++) {
      seen.incrementAndGet(0);
      journal.ended(journal.add(new long[] {key}, 0, 1, seen));
    }
    assertThat(journal.from(0, 1_000)).isGreaterThan(100);
  }
}
