package io.woodbird.cli.lines;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The estimate of distinct hashes. */
final class DistinctCountTest {
  @Test
  void theEstimate_isNearTheNumberAndCountsRepetitionsOnce() {
    long seed = Long.getLong("woodbird.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    DistinctCount distinct = new DistinctCount();
    assertThat(distinct.atMost(0)).isZero();
    long count = 0;
    for (int target : new int[] {1, 10, 1000, 30_000, 65_536, 200_000, 1_000_000, 5_000_000}) {
      long[] hashes = new long[(int) (target - count)];
      for (int i = 0; i < hashes.length; i++) {
        hashes[i] = random.nextLong();
      }
      count = target;
      distinct.add(hashes, hashes.length);
      distinct.add(hashes, hashes.length);
      // Five standard errors of 1.04 / sqrt(2^16).
      assertThat(distinct.estimate() / target).as("seed " + seed).isBetween(0.9797, 1.0203);
      assertThat(distinct.atMost(target)).as("seed " + seed).isEqualTo(target);
      assertThat(distinct.atMost(2L * target + 10))
          .as("seed " + seed)
          .isBetween((long) target, target + 2 + target * 41L / 1000);
    }
  }
}
