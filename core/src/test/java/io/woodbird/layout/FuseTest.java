package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The slots of a hash are three different ones of its shard, in neighbouring segments. */
final class FuseTest {
  private static final long SEED = 61;

  @Test
  void theSlots_areInTheShard_andDiffer() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 200_000; round++) {
      int keys = 1 + random.nextInt(1 << random.nextInt(1, 28));
      int shardBits = random.nextInt(25);
      int salt = random.nextInt(8);
      int length = Fuse.segmentLength(keys);
      int firstSlots = Fuse.firstSlots(keys, length);
      long hash = random.nextInt(9) == 0 ? -random.nextInt(3) : random.nextLong();
      long mixed = Fuse.mixed(hash, salt);
      int slot0 = Fuse.slot0(hash, shardBits, salt, firstSlots);
      int slot1 = Fuse.slot1(slot0, mixed, length);
      int slot2 = Fuse.slot2(slot0, mixed, length);
      String where = "round " + round + ", " + keys + " keys, salt " + salt;
      assertThat(slot0).as(where).isBetween(0, firstSlots - 1);
      assertThat(slot1 / length).as(where).isEqualTo(slot0 / length + 1);
      assertThat(slot2 / length).as(where).isEqualTo(slot0 / length + 2);
      assertThat(slot2).as(where).isLessThan(Fuse.slots(keys));
    }
  }

  @Test
  void theFirstSlot_keepsTheOrderOfTheHashesOfAShard() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 100_000; round++) {
      int shardBits = random.nextInt(20);
      int firstSlots = 4 + random.nextInt(1 << 20);
      long shard = random.nextLong() & -1L << (63 - shardBits) << 1;
      long one = shard | random.nextLong() >>> shardBits;
      long two = shard | random.nextLong() >>> shardBits;
      boolean below = Long.compareUnsigned(one, two) < 0;
      int low = Fuse.slot0(below ? one : two, shardBits, 0, firstSlots);
      int high = Fuse.slot0(below ? two : one, shardBits, 0, firstSlots);
      assertThat(low).as("round %d", round).isLessThanOrEqualTo(high);
    }
  }

  /** 1.125 slots per key from a million on, and no more than two segments beside it. */
  @Test
  void theSlotsPerKey_approachTheirLimit() {
    for (int keys = 1_000_000; keys < 100_000_000; keys += 1_234_567) {
      int least = (int) Math.ceil(1.125 * keys) - Fuse.segmentLength(keys);
      assertThat(Fuse.slots(keys)).isBetween(least, least + 2 * Fuse.segmentLength(keys));
    }
    assertThat(Fuse.slots(0)).isZero();
    assertThat(Fuse.slots(1)).isPositive();
  }

  /** What the keys of a shard decide: slots come in whole segments. */
  @Test
  void theExpectedSlots_areTheirMeanOverTheNumbersOfKeysThatComeUp() {
    SplittableRandom random = new SplittableRandom(SEED);
    double mean = 4_000_000;
    int rounds = 20_000;
    double sum = 0;
    double squares = 0;
    for (int round = 0; round < rounds; round++) {
      // The number of keys of a shard is Poisson distributed, here near enough to normal.
      double gauss = 0;
      for (int i = 0; i < 48; i++) {
        gauss += random.nextDouble() - 0.5;
      }
      double slots = Fuse.slots((int) Math.round(mean + gauss / 2 * Math.sqrt(mean)));
      sum += slots;
      squares += slots * slots;
    }
    double average = sum / rounds;
    double error = Math.sqrt((squares / rounds - average * average) / rounds);
    assertThat(Fuse.expectedSlots(mean))
        .isBetween(average - 5 * error - 1, average + 5 * error + 1);
  }
}
