package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.woodbird.DeletableFilter;
import io.woodbird.FilterPlan;
import io.woodbird.MergeableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.DeletableLayout;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The memory a key takes, and that plans are kept. */
final class SizesTest {
  @ParameterizedTest
  @CsvSource({
    "100000, 0.0072, 10.0", "131072, 0.0072, 10.0", "131073, 0.0072, 10.0",
    "1000000, 0.0072, 10.0", "10000000, 0.0072, 10.0", "1000000000, 0.0072, 10.0",
    "100000, 0.0009, 13.3", "131072, 0.0009, 13.3", "131073, 0.0009, 13.3",
    "1000000, 0.0009, 13.3", "10000000, 0.0009, 13.3", "1000000000, 0.0009, 13.3"
  })
  void aKeyTakesAtMostSoManyBits(long keys, double fpp, double bits) {
    FilterPlan plan = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).plan();
    assertThat(plan.bitsPerKey()).isLessThanOrEqualTo(bits);
    assertThat(plan.fpp()).isLessThanOrEqualTo(fpp).isGreaterThan(0.9 * fpp);
    if (keys <= 1_000_000) {
      DeletableFilter<Long> filter = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).build();
      assertThat((double) filter.stats().bits() / keys).isLessThanOrEqualTo(bits);
    }
  }

  @Test
  void aCountingBloomFilterIsFourTimesABloomFilter() {
    for (double fpp : new double[] {0.3, 0.01, 1e-3, 1e-6}) {
      FilterPlan bloom = Woodbird.bloom(Keys.longs(), 1_000_000).fpp(fpp).plan();
      FilterPlan counting = Woodbird.deletable(Keys.longs(), 1_000_000).fpp(fpp).counting().plan();
      assertThat(counting.bits()).isEqualTo(4 * bloom.bits());
      assertThat(counting.fpp()).isEqualTo(bloom.fpp());
    }
  }

  @Test
  void aPlanIsWhatTheFilterReallyTakes_andWhatThePlannerSays() {
    Trials.sized(
        "aPlanIsWhatTheFilterReallyTakes",
        100,
        200_000,
        (random, size) -> {
          long keys = Math.max(1, random.nextBoolean() ? size : size % 100);
          double fpp = Math.pow(10, -0.1 - 9 * random.nextDouble());
          List<FilterPlan> plans = Woodbird.plan(keys).fpp(fpp).plans();
          for (DeletableLayout layout : DeletableLayout.values()) {
            var builder = layout.of(Woodbird.deletable(Keys.longs(), keys).fpp(fpp));
            FilterPlan plan = builder.plan();
            DeletableFilter<Long> filter = builder.build();
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            filter.writeTo(out);
            assertThat(plan.bytes()).isEqualTo(out.size()).isEqualTo(filter.sizeInBytes());
            assertThat(plan.bits()).isEqualTo(filter.stats().bits());
            assertThat(plan.keys()).isEqualTo(keys);
            assertThat(plan.fpp()).isPositive().isLessThanOrEqualTo(fpp);
            assertThat(of(plan.family(), plans)).isEqualTo(plan);
          }
        });
  }

  /** Also where nobody would build it. */
  @ParameterizedTest
  @CsvSource({
    "1, 0.99",
    "1, 1e-18",
    "1000, 1.1e-16",
    "65536, 0.93",
    "65537, 1e-14",
    "1000000000, 1e-9",
    "1099511627776, 0.01",
    "1099511627776, 1.3e-7"
  })
  void thePlannerAgreesAtTheCorners(long keys, double fpp) {
    FilterPlan plan = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).plan();
    assertThat(planned(keys, fpp, "deletable")).isEqualTo(plan);
    assertThat(plan.fpp()).isLessThanOrEqualTo(fpp * (1 + 1e-9));
    if (keys < 1_000_000_000) {
      FilterPlan counting = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).counting().plan();
      assertThat(planned(keys, fpp, "counting")).isEqualTo(counting);
    }
  }

  private static FilterPlan planned(long keys, double fpp, String family) {
    return of(family, Woodbird.plan(keys).fpp(fpp).plans());
  }

  private static FilterPlan of(String family, List<FilterPlan> plans) {
    return plans.stream().filter(plan -> plan.family().equals(family)).findFirst().orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({"1000", "1000000", "70000000000", "1125899906842624"})
  void thePlannerFindsTheBestForABudget(long keys) {
    for (double bitsPerKey : new double[] {4, 8, 13, 30}) {
      long budget = (long) (keys * bitsPerKey / 8) + 600;
      FilterPlan plan =
          Woodbird.plan(keys).maxBytes(budget).plans().stream()
              .filter(some -> some.family().equals("deletable"))
              .findFirst()
              .orElseThrow();
      assertThat(plan.bytes()).isLessThanOrEqualTo(budget);
      double lower = 0.9 * plan.fpp();
      if (lower > keys * 0x1p-63) { // What a hash of 64 bits can keep.
        assertThat(planned(keys, lower, "deletable").bytes()).isGreaterThan(budget);
      }
    }
  }

  /** At every size along the way the fpp is what theory says. */
  @ParameterizedTest
  @CsvSource({"1000, 0.1", "100000, 0.0072", "300000, 0.03"})
  void theFppGrowsWithTheKeys(int keys, double fpp) {
    MergeableFilter<Long> filter = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).seed(95).build();
    double atEnd = Woodbird.deletable(Keys.longs(), keys).fpp(fpp).plan().fpp();
    for (int step = 1; step <= 10; step++) {
      for (long key = (long) keys * (step - 1) / 10; key < (long) keys * step / 10; key++) {
        filter.putLong(key);
      }
      double expected = -Math.expm1(Math.log1p(-atEnd) * step / 10);
      assertThat(filter.stats().currentFpp()).isCloseTo(expected, within(1e-9));
      // The fingerprints that are taken twice differ from filter to filter.
      FppMeter.measure("step " + step + ", seed 95", filter, Long::valueOf, 1L << 40, 200_000)
          .assertAbout(expected, expected * Math.sqrt(fpp / keys));
    }
  }
}
