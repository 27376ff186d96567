package io.woodbird.filter.frozen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Sorted hashes, against the sort of the JDK. */
final class HashSortTest {
  private static final long SEED = 81;

  /** Numbers become hashes. */
  enum Spread {
    RANDOM(i -> new SplittableRandom(SEED + i).nextLong()),
    ALL_EQUAL(i -> 0x8000_0000_0000_0001L),
    ASCENDING(i -> i),
    DESCENDING(i -> -i),
    AROUND_ZERO(i -> (i & 1) == 0 ? i : -i),
    HIGH_BITS_ONLY(i -> new SplittableRandom(SEED + i).nextLong() << 44),
    LOW_BITS_ONLY(i -> new SplittableRandom(SEED + i).nextLong() >>> 34),
    BELOW_THE_DIGITS(i -> (i % 7 << 60) + (new SplittableRandom(SEED + i).nextLong() >>> 40)),
    FEW(i -> new SplittableRandom(i % 10).nextLong()),
    SAWTOOTH(i -> i % 1000 << 53),
    ONE_BIT(i -> 1L << i),
    ONE_OUTLIER(i -> i == 500 ? -1 : 5);

    private final LongUnaryOperator hash;

    Spread(LongUnaryOperator hash) {
      this.hash = hash;
    }
  }

  /** The same by the JDK, whose order of longs is by their sign first. */
  private static long[] sortedDistinct(long[] hashes) {
    long[] sorted = LongStream.of(hashes).map(hash -> hash ^ Long.MIN_VALUE).sorted().toArray();
    int kept = 0;
    for (int i = 0; i < sorted.length; i++) {
      if (i == 0 || sorted[i] != sorted[i - 1]) {
        sorted[kept++] = sorted[i];
      }
    }
    return LongStream.of(sorted).limit(kept).map(hash -> hash ^ Long.MIN_VALUE).toArray();
  }

  @ParameterizedTest
  @EnumSource
  void sortDistinct_isTheSortOfTheJdk_withoutRepetitions(Spread spread) {
    // From 2^19 hashes on there is a third digit. It takes most of the time.
    for (int count : new int[] {0, 1, 2, 63, 64, 65, 1000, 5000, 60_000, 530_000}) {
      for (int commonBits : count > 1 << 19 ? new int[] {0, 10} : new int[] {0, 1, 10, 11, 20}) {
        long top = new SplittableRandom(count).nextLong() & ~(-1L >>> commonBits);
        long[] hashes =
            LongStream.range(0, count)
                .map(spread.hash)
                .map(hash -> hash >>> commonBits | (commonBits == 0 ? 0 : top))
                .toArray();
        long[] expected = sortedDistinct(hashes);
        // Longer than the range, as what is around it must be left alone.
        long[] longer = new long[count + 5];
        Arrays.fill(longer, 77);
        System.arraycopy(hashes, 0, longer, 2, count);
        int end = HashSort.sortDistinct(longer, 2, 2 + count, commonBits, new long[count]);
        assertThat(Arrays.copyOfRange(longer, 2, end))
            .as("%s, %d hashes, %d common bits", spread, count, commonBits)
            .isEqualTo(expected);
        assertThat(Arrays.copyOf(longer, 2)).containsOnly(77);
        assertThat(Arrays.copyOfRange(longer, count + 2, count + 5)).containsOnly(77);
      }
    }
  }
}
