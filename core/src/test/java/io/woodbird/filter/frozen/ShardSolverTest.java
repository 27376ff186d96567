package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.file.LayoutId;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One shard, solved and asked. */
final class ShardSolverTest {
  private static final long SEED = 83;
  private static final int[] COUNTS = {
    40_000, 0, 1, 2, 10, 63, 64, 65, 100, 999, 1000, 1001, 2000, 5000, 20_000
  };

  private static ShardSolver solver(LayoutId layout, int width, double share, int shardBits) {
    return layout == LayoutId.RIBBON
        ? new RibbonSolver(Math.pow(2, share - width), shardBits)
        : new FuseSolver(width, shardBits);
  }

  private static long[] hashes(SplittableRandom random, int count, int shardBits) {
    long top = shardBits == 0 ? 0 : random.nextLong() >>> (64 - shardBits) << (64 - shardBits);
    long[] hashes = random.longs(count).map(hash -> hash >>> shardBits | top).toArray();
    assertThat(HashSort.sortDistinct(hashes, 0, count, shardBits, new long[count]))
        .isEqualTo(count);
    return hashes;
  }

  @ParameterizedTest
  @CsvSource({
    "RIBBON, 1,  0,   0",
    "RIBBON, 2,  0.4, 0",
    "RIBBON, 7,  0.6, 0",
    "RIBBON, 8,  0,   3",
    "RIBBON, 20, 0.9, 12",
    "RIBBON, 32, 0,   20",
    "FUSE,   1,  0,   0",
    "FUSE,   7,  0,   3",
    "FUSE,   8,  0,   0",
    "FUSE,   13, 0,   12",
    "FUSE,   32, 0,   20",
  })
  void everyKeyIsFound_andEveryWordThatDecides_isVisited(
      LayoutId layout, int width, double share, int shardBits) {
    SplittableRandom random = new SplittableRandom(SEED);
    ShardSolver used = solver(layout, width, share, shardBits);
    for (int count : COUNTS) {
      long[] hashes = hashes(random, count, shardBits);
      ShardSolver.Shard shard = used.solve(hashes, count, Long.MAX_VALUE);
      String what = layout + ", width " + width + ", " + count + " keys, seed " + SEED;
      ShardSolver.Shard again =
          solver(layout, width, share, shardBits).solve(hashes, count, Long.MAX_VALUE);
      assertThat(again.words()).as(what).isEqualTo(shard.words());
      assertThat(again.entry()).as(what).isEqualTo(shard.entry());
      ShardTable table = ShardTable.ofOne(shard.entry(), shardBits);
      assertThat(FrozenShape.shardWords(new FrozenShape(layout, width), table, 0))
          .as(what)
          .isEqualTo(shard.words().length);

      FrozenShape shape = new FrozenShape(layout, width);
      requireAll(shape.kernel(word -> shard.words()[(int) word], table), hashes, what);
      WordsKernel kernel = shape.kernel(word -> shard.words()[(int) word], table);
      for (int i = 0; i < 3000; i++) {
        long hash = i < count ? hashes[i] : random.nextLong();
        kernel.lacks(hash);
        kernel.touch(hash); // Reads nothing out of range.
      }
    }
  }

  private static void requireAll(FrozenKernel kernel, long[] hashes, String what) {
    for (long hash : hashes) {
      if (kernel.lacks(hash)) {
        throw new AssertionError(what + ": lost " + hash);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"0", "5"})
  void aRibbon_takesNoMoreThanItsLimit(int shardBits) {
    SplittableRandom random = new SplittableRandom(SEED);
    RibbonSolver solver = new RibbonSolver(0.01, shardBits);
    for (int count : COUNTS) {
      long[] hashes = hashes(random, count, shardBits);
      for (double bitsPerKey : new double[] {0.05, 0.5, 1, 1.7, 2, 7.3, 33, 100}) {
        long limit = (long) Math.ceil(bitsPerKey * count / 64);
        ShardSolver.Shard shard = solver.solve(hashes, count, limit);
        String what = count + " keys, " + limit + " words";
        assertThat((long) shard.words().length).as(what).isLessThanOrEqualTo(limit);
        assertThat(shard.fpp()).isBetween(0.0, 1.0);
        FrozenKernel kernel =
            new FrozenShape(LayoutId.RIBBON, FrozenShape.MAX_WIDTH)
                .kernel(
                    word -> shard.words()[(int) word], ShardTable.ofOne(shard.entry(), shardBits));
        requireAll(kernel, hashes, what);
        int probes = 20_000;
        int hits = 0;
        for (int i = 0; i < probes; i++) {
          hits += kernel.lacks(random.nextLong()) ? 0 : 1;
        }
        double mean = probes * shard.fpp();
        double deviation = Math.sqrt(mean * (1 - shard.fpp()));
        // Of few hits a binomial leans to the right: 4 more, as in the testkit's FppMeter.
        assertThat((double) hits)
            .as("%s: fpp %s, seed %d", what, shard.fpp(), SEED)
            .isBetween(mean - 5 * deviation, mean + 5 * deviation + 4);
      }
    }
  }
}
