package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Where the equation of a hash starts, what it chooses, and where its segments lie. */
final class RibbonTest {
  private static final long SEED = 64;

  @Test
  void theBand_isInTheLayer_andItsFirstSlotIsChosen() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 200_000; round++) {
      int slots = 64 * (1 + random.nextInt(1 << random.nextInt(1, 20)));
      long inLayer = Ribbon.inFirstLayer(random.nextLong(), random.nextInt(20));
      for (int layer = 0; layer < Ribbon.LAYERS; layer++) {
        assertThat(Ribbon.start(inLayer, slots)).isBetween(0, slots - Ribbon.SEGMENT);
        long bits = Ribbon.bits(inLayer);
        assertThat(Ribbon.coefficients(bits) & 1).isEqualTo(1);
        assertThat(Ribbon.ternaryResult(bits)).isBetween(0, 2);
        inLayer = Ribbon.inNextLayer(inLayer, 0);
      }
    }
  }

  /** The results are even: each of three values, and each bit, as often as the others. */
  @Test
  void theResults_areEven() {
    SplittableRandom random = new SplittableRandom(SEED);
    int rounds = 300_000;
    int[] ternary = new int[3];
    int[] ones = new int[32];
    for (int round = 0; round < rounds; round++) {
      long bits = Ribbon.bits(random.nextLong());
      ternary[Ribbon.ternaryResult(bits)]++;
      for (int bit = 0; bit < 32; bit++) {
        ones[bit] += Ribbon.result(bits) >>> bit & 1;
      }
    }
    for (int count : ternary) {
      assertEven(count, rounds, 1.0 / 3);
    }
    for (int count : ones) {
      assertEven(count, rounds, 0.5);
    }
  }

  private static void assertEven(int count, int rounds, double share) {
    double sigma = Math.sqrt(rounds * share * (1 - share));
    assertThat((double) count).isBetween(rounds * share - 5 * sigma, rounds * share + 5 * sigma);
  }

  @Test
  void segments_followOneAnother() {
    for (int columns = 1; columns < 20; columns++) {
      for (int first = 0; first < 10; first++) {
        for (int fewer = 0; fewer < columns; fewer++) {
          long at = 0;
          for (int segment = 0; segment < 20; segment++) {
            assertThat(Ribbon.segmentAt(segment, columns, first, fewer)).isEqualTo(at);
            at += segment < first ? columns - fewer : columns;
          }
        }
      }
    }
  }

  @Test
  void theLastLayer_hasMoreSlotsThanKeys_andBumpingOnesFewer() {
    for (int keys = 1; keys < 10_000_000; keys = keys * 11 / 10 + 1) {
      assertThat(Ribbon.lastSegments(keys) * Ribbon.SEGMENT).isGreaterThan(keys);
      assertThat(Ribbon.buckets(keys) * Ribbon.BUCKET).isLessThan(keys);
    }
    assertThat(Ribbon.lastSegments(0)).isZero();
  }
}
