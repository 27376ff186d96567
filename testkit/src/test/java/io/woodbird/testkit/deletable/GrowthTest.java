package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DeletableFilter;
import io.woodbird.Filter;
import io.woodbird.FilterStats;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Together;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Locale;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A filter that grows: what it promised holds at every size. */
final class GrowthTest {
  /** A run of more than a hundred blocks. */
  private static final int SAME = 10_000;

  /**
   * Keys begin with two bits. Those without any, if they counted, would fill a part by themselves
   * from 61,000 keys on: after m doublings they are (m - 2) / 8 of its places.
   */
  private static final long FAR = 120_000;

  /**
   * Grows a filter and measures at every doubling, and when the next one is due. A hundred false
   * positives are expected: if the promise is broken by a factor of two, as by a bit that keys lose
   * too many, a measurement misses it once in a thousand times (200 hits where 154 are accepted,
   * 3.3 deviations).
   */
  private static void grow(double fpp, long upTo, long most, long seed, int probes) {
    DeletableFilter<Long> filter =
        Woodbird.growing(Keys.longs()).fpp(fpp).upTo(upTo).seed(seed).build();
    long keys = 0;
    for (long size = 1000; size <= most; size *= 2) {
      long fullest = (long) (0.929 * 2 * Long.highestOneBit(size)); // Parts double at 93 %.
      for (long next : new long[] {Math.max(keys, fullest), size}) {
        while (keys < next) {
          filter.putLong(keys++);
        }
        FilterStats stats = filter.stats();
        assertThat(stats.estimatedKeys()).isEqualTo(keys);
        assertThat(stats.currentFpp()).isLessThanOrEqualTo(fpp);
        FppMeter.Measurement measured =
            FppMeter.measure("at " + keys, filter, Long::valueOf, 1L << 50, probes);
        measured.assertAtMost(fpp);
        if (size > most / 2) {
          System.out.printf(
              Locale.ROOT,
              "growing to %,d keys, fpp %s: %s, expected %.3g, %.1f bits a key%n",
              keys,
              fpp,
              measured,
              stats.currentFpp(),
              (double) stats.bits() / keys);
        }
      }
    }
    requireAll(filter, keys);
  }

  /** Asks for keys one by one; an assertion of AssertJ would take most of the time. */
  private static void requireAll(DeletableFilter<Long> filter, long keys) {
    for (long key = 0; key < keys; key++) {
      if (!filter.mightContainLong(key)) {
        throw new AssertionError("false negative: " + key);
      }
    }
  }

  /** A key of few bits is in several places, and removals of strangers can take all of them out. */
  @Test
  void removalsOfStrangers_leaveAFileThatOpens() throws IOException {
    DeletableFilter<Long> filter = Woodbird.growing(Keys.longs()).fpp(0.5).upTo(1).seed(1).build();
    for (long key = 0; key < 5000; key++) {
      filter.putLong(key);
    }
    long removed = 0;
    for (long stranger = 1L << 40; removed <= 5000; stranger++) {
      removed += filter.removeHash(filter.hashOfLong(stranger)) ? 1 : 0;
    }
    assertThat(filter.stats().estimatedKeys()).isZero();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    Filter<Long> read =
        Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs());
    assertThat(read.stats().estimatedKeys()).isZero();
  }

  /** One part doubles seven times and splits five times: further splits are no other. */
  @ParameterizedTest
  @CsvSource({"0.01, 250000, 1", "0.01, 1099511627776, 2", "0.1, 250000, 3", "0.001, 250000, 4"})
  void fromAThousandTo270000Keys_thePromiseHolds(double fpp, long upTo, long seed) {
    grow(fpp, upTo, 270_000, seed, (int) (100 / fpp));
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"0.01, 1000000, 1", "0.01, 1099511627776, 2", "0.1, 1000000, 3", "0.001, 1000000, 4"})
  void fromAThousandToAMillionKeys_thePromiseHoldsWithManyProbes(double fpp, long upTo, long seed) {
    grow(fpp, upTo, 1_100_000, seed, 300_000);
  }

  @Tag("slow")
  @ParameterizedTest
  @CsvSource({"0.01, 100000000, 5", "0.1, 1099511627776, 6"})
  void fromAThousandToAHundredMillionKeys_thePromiseHolds(double fpp, long upTo, long seed) {
    grow(fpp, upTo, 140_000_000, seed, 300_000);
  }

  /** The first keys have no bits left and fill whole parts: no reason to double those for ever. */
  @Test
  void farBeyondThePromise_keysWithoutBitsDoNotFillTheFilter() {
    putFarBeyondThePromise(FAR);
  }

  @Tag("slow")
  @Test
  void fartherBeyondThePromise_keysWithoutBitsDoNotFillTheFilter() {
    putFarBeyondThePromise(600_000);
  }

  private static void putFarBeyondThePromise(long most) {
    DeletableFilter<Long> filter = Woodbird.growing(Keys.longs()).fpp(0.3).upTo(1).seed(12).build();
    for (long key = 0; key < most; key++) {
      filter.putLong(key);
    }
    assertThat(filter.stats().estimatedKeys()).isEqualTo(most);
    assertThat((double) filter.stats().bits() / most).isLessThan(60);
    requireAll(filter, most);
    for (long key = 0; key < 1000; key++) {
      assertThat(filter.removeLong(most - 1 - key)).isTrue();
    }
    assertThat(filter.stats().estimatedKeys()).isEqualTo(most - 1000);
  }

  /** Its run is longer than many blocks, so that each step must not look at all of it twice. */
  @Test
  void oneKeyPutVeryOften_canBeRemovedAsOften() throws IOException {
    DeletableFilter<Long> filter = Woodbird.growing(Keys.longs()).seed(7).build();
    for (long key = 1; key <= 20_000; key++) {
      filter.putLong(key);
    }
    for (int i = 0; i < SAME; i++) {
      filter.putLong(0L);
    }
    assertThat(filter.stats().estimatedKeys()).isEqualTo(SAME + 20_000);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    DeletableFilter<Long> read =
        (DeletableFilter<Long>)
            Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs());
    for (int i = 0; i < SAME; i++) {
      if (!read.mightContainLong(0L) || !read.removeLong(0L)) {
        throw new AssertionError("lost after " + i);
      }
    }
    assertThat(read.stats().estimatedKeys()).isEqualTo(20_000);
    assertThat(read.stats().currentFpp()).isLessThan(0.01);
    for (long key = 1; key <= 20_000; key++) {
      assertThat(read.mightContainLong(key) && read.removeLong(key)).isTrue();
    }
    assertThat(read.stats().estimatedKeys()).isZero();
  }

  /** Threads put while all parts double and split: nothing is denied, nothing is lost. */
  @ParameterizedTest
  @CsvSource({"2, 0.01", "4, 0.2", "8, 1e-4"})
  void threadsThatGrowItTogether_loseNoKey(int threads, double fpp) {
    DeletableFilter<Long> filter = Woodbird.growing(Keys.longs()).fpp(fpp).seed(8).build();
    int each = 130_000 / threads; // All parts double seven times, and each splits four times.
    Together.run(
        threads,
        thread -> {
          SplittableRandom random = new SplittableRandom(thread);
          long first = (long) thread * each;
          for (long key = first; key < first + each; key++) {
            filter.putLong(key);
            long mine = random.nextLong(first, key + 1);
            if (!filter.mightContainLong(mine)) {
              throw new AssertionError("denied: " + mine);
            }
          }
        });
    assertThat(filter.stats().estimatedKeys()).isEqualTo((long) each * threads);
    requireAll(filter, (long) each * threads);
  }

  /** As often as a false positive a key goes that was never put; the tables stay sound. */
  @ParameterizedTest
  @CsvSource({"0.1, 9", "0.01, 10", "0.3, 11"})
  void removingKeysThatWereNeverPut_happensAsOftenAsAFalsePositive(double fpp, long seed)
      throws IOException {
    DeletableFilter<Long> filter =
        Woodbird.growing(Keys.longs()).fpp(fpp).upTo(6000).seed(seed).build();
    SplittableRandom random = new SplittableRandom(seed);
    long keys = 0;
    long tried = 0;
    long removed = 0;
    // At least a third removes: what one in 6,600 shows is missed once in 150 runs (e^-5).
    for (int i = 1; i <= 100_000; i++) {
      if (keys < 6000 && random.nextInt(3) > 0) {
        filter.putLong((long) random.nextInt(1 << 20));
        keys++;
      } else {
        long key = (1L << 40) + i;
        boolean maybe = filter.mightContainLong(key);
        boolean gone = filter.removeLong(key);
        if (gone != maybe) {
          throw new AssertionError("removed and denied, or the reverse: " + key);
        }
        tried++;
        removed += gone ? 1 : 0;
        keys -= gone ? 1 : 0;
      }
      if (i % 1000 == 0) {
        assertThat(filter.stats().estimatedKeys()).isEqualTo(keys);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        filter.writeTo(out); // Reading refuses tables that are not sound.
        Woodbird.readFrom(new ByteArrayInputStream(out.toByteArray()), Keys.longs());
      }
    }
    assertThat(removed).isPositive();
    new FppMeter.Measurement("removed, seed " + seed, tried, removed).assertAtMost(fpp);
  }
}
