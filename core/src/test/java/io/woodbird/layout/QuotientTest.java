package io.woodbird.layout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Shard, quotient and remainder are the first bits of a hash, and lead back to it. */
final class QuotientTest {
  private static final long SEED = 51;

  private static Quotient random(SplittableRandom random) {
    int quotients = 1 + random.nextInt(1 << random.nextInt(1, 29));
    return new Quotient(random.nextInt(25), quotients, 1 + random.nextInt(40));
  }

  private static long hash(SplittableRandom random) {
    return switch (random.nextInt(8)) {
      case 0 -> random.nextInt(-3, 3);
      case 1 -> Long.MIN_VALUE + random.nextInt(-3, 3);
      default -> random.nextLong();
    };
  }

  @Test
  void theParts_areInRange_andGrowWithTheHash() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 200_000; round++) {
      Quotient layout = random(random);
      long one = hash(random);
      long two = random.nextBoolean() ? hash(random) : one + random.nextInt(-100, 100);
      long low = Long.compareUnsigned(one, two) <= 0 ? one : two;
      long high = low == one ? two : one;
      assertThat(compare(layout, low, high)).as("round %d, %s", round, layout).isNotPositive();
    }
  }

  private static int compare(Quotient layout, long one, long two) {
    long[] a = parts(layout, one);
    long[] b = parts(layout, two);
    return java.util.Arrays.compare(a, b);
  }

  private static long[] parts(Quotient layout, long hash) {
    long inShard = layout.inShard(hash);
    long[] parts = {layout.shard(hash), layout.quotient(inShard), layout.remainder(inShard)};
    assertThat(parts[0]).isBetween(0L, layout.shards() - 1L);
    assertThat(parts[1]).isBetween(0L, layout.quotients() - 1L);
    assertThat(parts[2]).isBetween(0L, (1L << layout.remainderBits()) - 1);
    return parts;
  }

  @Test
  void parts_areInTheOrderOfTheHashes() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 200_000; round++) {
      Quotient layout = random(random);
      long hash = hash(random);
      long other = random.nextBoolean() ? hash(random) : hash + random.nextInt(1000);
      int order = Long.compareUnsigned(hash, other);
      int found = Arrays.compare(parts(layout, hash), parts(layout, other));
      if (found != 0 && Integer.signum(found) != order) {
        throw new AssertionError(
            String.format("seed %d, %s, hashes %x and %x", SEED, layout, hash, other));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "100000, 0.0072, 10.0", "1000000, 0.0072, 10.0", "100000000, 0.0072, 10.0",
    "100000, 0.0009, 13.3", "1000000, 0.0009, 13.3", "100000000, 0.0009, 13.3"
  })
  void forFpp_needsFewBits_andKeepsTheFpp(long keys, double fpp, double most) {
    Quotient layout = Quotient.forFpp(keys, fpp);
    double slots = (double) layout.slots() * layout.shards();
    assertThat(slots * (layout.remainderBits() + 2.125) / keys).isLessThanOrEqualTo(most);
    assertThat(layout.fpp(keys)).isLessThanOrEqualTo(fpp);
    assertThat(layout.fpp(0)).isZero();
  }

  @Test
  void forFpp_hasRoomForItsKeys_andKeepsEveryFpp() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 20_000; round++) {
      long keys = 1 + random.nextLong(1L << random.nextInt(1, 41));
      double fpp = Math.max(Math.pow(10, -13 * random.nextDouble()), 4 * keys * 0x1p-64) * 0.999;
      Quotient layout = Quotient.forFpp(keys, fpp);
      String where = "keys " + keys + ", fpp " + fpp + ": " + layout;
      assertThat(layout.fpp(keys)).as(where).isLessThanOrEqualTo(fpp * (1 + 1e-9));
      assertThat((double) layout.quotients() * layout.shards())
          .as(where)
          .isGreaterThanOrEqualTo(keys);
      assertThat(layout.slots())
          .as(where)
          .isGreaterThan(layout.quotients())
          .matches(n -> n % 64 == 0);
      assertThat(keys >>> layout.shardBits()).as(where).isLessThanOrEqualTo(1 << 16);
    }
  }
}
