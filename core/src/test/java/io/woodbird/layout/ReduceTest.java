package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("jdk")
final class ReduceTest {
  private static final long[] HASHES = {0, 1, 2, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32};

  private static void check(long hash, long limit) {
    BigInteger product =
        new BigInteger(Long.toUnsignedString(hash & ~1L)).multiply(BigInteger.valueOf(limit));
    assertThat(Reduce.toRange(hash, limit))
        .as("hash %x, limit %d", hash, limit)
        .isEqualTo(product.shiftRight(64).longValueExact())
        .isBetween(0L, limit - 1);
  }

  @Test
  void toRange_isTheHighHalfOfTheProduct() {
    SplittableRandom random = new SplittableRandom(0x7ed);
    for (int round = 0; round < 100_000; round++) {
      check(random.nextLong(), 1 + (random.nextLong() >>> 3 + random.nextInt(60)));
    }
  }

  @Test
  void toRange_holdsAtTheEnds() {
    for (int shift = 0; shift < 62; shift++) {
      for (long hash : HASHES) {
        check(hash, 1L << shift);
        check(hash, Math.max(1, (1L << shift) - 1));
        check(hash, (1L << shift) + 1);
        check(hash, (1L << 62) - 1);
      }
    }
    assertThat(Reduce.toRange(0, 1L << 40)).isZero();
    assertThat(Reduce.toRange(-1, 1L << 40)).isEqualTo((1L << 40) - 1);
  }

  @Test
  void toRange_neverFalls() {
    SplittableRandom random = new SplittableRandom(0x7ee);
    for (int round = 0; round < 10_000; round++) {
      long hash = random.nextLong();
      long larger = hash + (random.nextLong() >>> random.nextInt(64));
      if (Long.compareUnsigned(hash, larger) <= 0) {
        long limit = 1 + (random.nextLong() >>> 3 + random.nextInt(60));
        assertThat(Reduce.toRange(hash, limit)).isLessThanOrEqualTo(Reduce.toRange(larger, limit));
      }
    }
  }
}
