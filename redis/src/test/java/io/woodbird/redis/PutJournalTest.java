package io.woodbird.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The journal of a writer never forgets a put that is not in what a shard must come back with. */
class PutJournalTest {
  private static ShardHeader cameBack(long life, long puts) {
    return new ShardHeader(1, puts, 0, 0, false, false, 0, life, puts);
  }

  @Test
  void whatComesBackHasEveryPutOrTheJournalHasIt() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    PutJournal journal = new PutJournal(64);
    Required required = new Required(1);
    List<Long> master = new ArrayList<>(); // The n-th put that the shard counted.
    int proven = 0;
    for (int round = 0; round < 20_000; round++) {
      long key = round;
      long place = journal.add(new long[] {key}, 0, 1);
      if (place < 0) {
        required.set(0, 7, master.size());
        journal.forgetBefore(journal.settled());
        place = journal.add(new long[] {key}, 0, 1);
      }
      master.add(key);
      journal.ended(place);
      if (random.nextInt(50) == 0) { // A checkpoint counts itself.
        master.add(-1L);
        required.set(0, 7, master.size());
        journal.forgetBefore(journal.settled());
      }
      if (random.nextInt(10) == 0) { // A replica with a prefix takes over.
        int had = master.size() - random.nextInt(Math.min(100, master.size()));
        Set<Long> there = new HashSet<>(master.subList(0, had));
        if (required.isIn(0, cameBack(7, had))) {
          proven++;
          for (long kept : journal.hashes()) {
            there.add(kept);
          }
          for (long put = 0; put <= key; put++) {
            assertThat(there).as("seed %d, round %d", seed, round).contains(put);
          }
        }
      }
      if (round == 500) {
        break; // The check above is quadratic.
      }
    }
    assertThat(proven).as("seed %d", seed).isPositive();
  }

  @Test
  void aPutThatIsStillUnderWayIsKept() {
    PutJournal journal = new PutJournal(8);
    long slow = journal.add(new long[] {-1}, 0, 1);
    journal.ended(journal.add(new long[] {1, 2}, 0, 2));
    assertThat(journal.settled()).isEqualTo(slow);
    journal.forgetBefore(journal.settled());
    assertThat(journal.hashes()).containsExactly(-1, 1, 2);
    assertThat(journal.add(new long[6], 0, 6)).isNegative();
  }

  @Test
  void dataOfAnotherLifeOrWithFewerPutsIsNotWhatIsRequired() {
    Required required = new Required(1);
    assertThat(required.isIn(0, cameBack(1, 0))).isTrue();
    required.set(0, 1, 10);
    assertThat(required.isIn(0, cameBack(1, 10))).isTrue();
    assertThat(required.isIn(0, cameBack(1, 9))).isFalse();
    assertThat(required.isIn(0, cameBack(2, 10))).isFalse();
    required.replayed(0, 2, 12);
    assertThat(required.isIn(0, cameBack(2, 12))).isTrue();
    assertThat(required.isIn(0, cameBack(2, 11))).isFalse();
  }
}
