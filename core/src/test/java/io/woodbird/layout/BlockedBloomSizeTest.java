package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("compiled")
final class BlockedBloomSizeTest {
  private static final double[] FPPS = {0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8};

  @ParameterizedTest(name = "{1} blocks of {0}, {2} keys")
  @CsvSource({
    "TWO_1, 1, 1",
    "TWO_1, 1, 100",
    "TWO_1, 40, 8000",
    "TWO_2, 1, 60",
    "TWO_2, 3, 200",
    "TWO_2, 50, 5000",
    "TWO_3, 1, 40",
    "TWO_3, 2, 100",
    "TWO_3, 64, 3200",
    "TWO_3, 7, 1000",
    "FOUR_2, 1, 50",
    "FOUR_2, 2, 80",
    "FOUR_2, 64, 3200",
    "FOUR_2, 64, 10000",
    "PAIR_TWO_3, 60, 2000",
    "PAIR_TWO_3, 100, 5000",
    "PAIR_2, 40, 1600",
    "PAIR_2, 100, 6000",
    "PAIR_3, 100, 3000",
    "PAIR_3, 100, 6000"
  })
  void theFormulaGivesTheFppOfASimulation(BlockShape shape, long blocks, int keys) {
    BlockedBloom layout = new BlockedBloom(blocks, shape);
    double[] measured =
        Simulation.run(layout.bitCount(), 60, keys, 20_000, hash -> Positions.of(layout, hash));
    Chance.assertMean(
        measured, BlockedBloomSize.fpp(layout, keys), layout + " with " + keys + " keys");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10, 1000, 99_999, 100_000, 1_000_000, 1_000_000_000, 1L << 40})
  void forFpp_meetsTheRequest(long keys) {
    for (double fpp : FPPS) {
      if (fpp > 4 * keys * 0x1p-64) {
        BlockedBloom layout = BlockedBloomSize.forFpp(keys, fpp);
        assertThat(layout.shape()).isEqualTo(BlockShape.forFpp(fpp));
        assertThat(BlockedBloomSize.fpp(layout, keys))
            .as("%d keys at %s", keys, fpp)
            .isPositive()
            .isLessThanOrEqualTo(fpp);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.3, TWO_1, 2.52",
    "0.1, TWO_2, 4.90",
    "0.03, TWO_3, 7.66",
    "0.01, TWO_3, 10.19",
    "0.005, FOUR_2, 11.61",
    "0.001, PAIR_TWO_3, 15.09",
    "1e-4, PAIR_TWO_3, 20.37",
    "1e-6, PAIR_2, 31.46",
    "1e-8, PAIR_3, 44.81"
  })
  void forFpp_takesTheBitsOfTheTable(double fpp, BlockShape shape, double bitsPerKey) {
    BlockedBloom layout = BlockedBloomSize.forFpp(1_000_000_000, fpp);
    assertThat(layout.shape()).isEqualTo(shape);
    assertThat(layout.bitCount() / 1e9).isCloseTo(bitsPerKey, within(0.02));
  }

  @Test
  void forFpp_isNoLargerThanItMustBe() {
    for (double fpp : FPPS) {
      BlockedBloom layout = BlockedBloomSize.forFpp(10_000_000, fpp);
      BlockedBloom smaller = new BlockedBloom(layout.blockCount() * 99 / 100, layout.shape());
      assertThat(BlockedBloomSize.fpp(smaller, 10_000_000)).isGreaterThan(fpp);
    }
  }

  @Test
  void forFpp_takesMoreBlocksForMoreKeysAndForALowerFpp() {
    for (double fpp : FPPS) {
      long last = 0;
      for (long keys : new long[] {1, 10, 100, 1000, 10_000, 90_000, 1_000_000}) {
        long blocks = BlockedBloomSize.forFpp(keys, fpp).blockCount();
        assertThat(blocks).isGreaterThanOrEqualTo(last);
        last = blocks;
      }
    }
    long last = 0;
    for (double fpp : FPPS) {
      long blocks = BlockedBloomSize.forFpp(1_000_000, fpp).blockCount();
      assertThat(blocks).isGreaterThan(last);
      last = blocks;
    }
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void theFppGrowsWithTheKeysFromZeroToOne(BlockShape shape) {
    BlockedBloom layout = new BlockedBloom(100, shape);
    double last = 0;
    assertThat(BlockedBloomSize.fpp(layout, 0)).isZero();
    for (double keys = 1; keys < 1e7; keys *= 1.7) {
      double fpp = BlockedBloomSize.fpp(layout, keys);
      assertThat(fpp).isBetween(last, 1.0);
      last = fpp;
    }
    assertThat(last).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource(BlockShape.class)
  void keysAt_undoesTheFill(BlockShape shape) {
    BlockedBloom layout = new BlockedBloom(1000, shape);
    for (double keys : new double[] {0, 1, 100, 10_000, 100_000, 300_000}) {
      double fill = BlockedBloomSize.fill(layout, keys);
      assertThat(fill).isBetween(0.0, 1.0);
      assertThat(BlockedBloomSize.keysAt(layout, fill))
          .isCloseTo(keys, within(1e-6 * Math.max(1, keys)));
    }
    assertThat(BlockedBloomSize.keysAt(layout, 1)).isFinite().isGreaterThan(100_000);
  }

  @Test
  void forBits_fillsTheBitsWithTheBestShapeOrAFasterOneNearlyAsGood() {
    for (long bits : new long[] {512, 5000, 1_000_000, 1L << 33}) {
      for (double bitsPerKey : new double[] {1, 2, 3, 5, 8, 10, 16, 20, 30, 50}) {
        long keys = (long) Math.max(1, bits / bitsPerKey);
        BlockedBloom layout = BlockedBloomSize.forBits(keys, bits);
        assertThat(layout.blockCount()).isEqualTo(Math.max(1, bits / 512));
        double fpp = BlockedBloomSize.fpp(layout, keys);
        for (BlockShape shape : BlockShape.values()) {
          BlockedBloom other = new BlockedBloom(layout.blockCount(), shape);
          // Each of six steps from shape to shape may leave a tenth.
          assertThat(BlockedBloomSize.fpp(other, keys)).isGreaterThan(Math.pow(0.9, 6) * fpp);
        }
      }
    }
  }

  @Test
  void shapesHaveDifferentNumbersForEver() {
    assertThat(BlockShape.values()).extracting(BlockShape::id).containsExactly(1, 2, 3, 4, 5, 6, 7);
    assertThat(BlockShape.TWO_1).hasToString("2 words x 1 bits");
    assertThat(BlockShape.PAIR_3).hasToString("2 blocks of 4 words x 3 bits");
  }

  @Test
  void forFpp_ofAShapeTakesTheFirstThatIsMadeForIt() {
    assertThat(BlockShape.forFpp(0.999)).isEqualTo(BlockShape.TWO_1);
    assertThat(BlockShape.forFpp(0.14)).isEqualTo(BlockShape.TWO_1);
    assertThat(BlockShape.forFpp(0.139)).isEqualTo(BlockShape.TWO_2);
    assertThat(BlockShape.forFpp(0.007)).isEqualTo(BlockShape.TWO_3);
    assertThat(BlockShape.forFpp(0.002)).isEqualTo(BlockShape.FOUR_2);
    assertThat(BlockShape.forFpp(1e-3)).isEqualTo(BlockShape.PAIR_TWO_3);
    assertThat(BlockShape.forFpp(4.9e-5)).isEqualTo(BlockShape.PAIR_2);
    assertThat(BlockShape.forFpp(1e-18)).isEqualTo(BlockShape.PAIR_3);
  }
}
