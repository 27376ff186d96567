package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.woodbird.BloomFilter;
import io.woodbird.FilterPlan;
import io.woodbird.Planner;
import io.woodbird.Planner.Need;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sizes before anything is built. */
final class PlansTest {
  private static FilterPlan plan(List<FilterPlan> plans, String family) {
    return plans.stream().filter(plan -> plan.family().equals(family)).findFirst().orElseThrow();
  }

  private static List<String> families(Planner planner) {
    return planner.plans().stream().map(FilterPlan::family).toList();
  }

  @Test
  void twoBillionKeysInHalfAGigabyteAreTwoBitsAKey() {
    Planner planner = Woodbird.plan(2_000_000_000L).maxBytes(500_000_000);
    assertThat(planner.limitBitsPerKey()).isEqualTo(2.0);
    assertThat(planner.limitFpp()).isCloseTo(0.25, within(1e-12));
    List<FilterPlan> plans = planner.plans();
    assertThat(plans).allMatch(plan -> plan.bytes() <= 500_000_000, "fits");
    assertThat(plans).allMatch(plan -> plan.fpp() >= 0.25, "no better than possible");
    assertThat(plans).isSortedAccordingTo(Comparator.comparingDouble(FilterPlan::fpp));
    assertThat(plans.get(0).family()).isEqualTo("ribbon");
    assertThat(plans.get(0).fpp()).isLessThan(0.257);
    // With one bit a key, 1 - exp(-1/2).
    assertThat(plan(plans, "bloom-classic").fpp()).isCloseTo(0.3935, within(0.002));
    assertThat(plan(plans, "bloom").fpp()).isCloseTo(0.3935, within(0.01));
    assertThat(planner.explain())
        .contains("2.00 bits a key")
        .contains("25.0 %")
        .contains("ribbon")
        .contains("For 1.00 %")
        .contains("For 0.100 %");
  }

  @ParameterizedTest
  @CsvSource({
    "BLOCKED, bloom, 1, 0.01",
    "BLOCKED, bloom, 1000, 0.3",
    "BLOCKED, bloom, 123456, 0.01",
    "BLOCKED, bloom, 100000, 1e-6",
    "CLASSIC, bloom-classic, 1, 0.01",
    "CLASSIC, bloom-classic, 1000, 0.3",
    "CLASSIC, bloom-classic, 123456, 0.01",
    "CLASSIC, bloom-classic, 100000, 1e-6",
  })
  void aPlanIsWhatTheFilterReallyTakes(BloomLayout layout, String family, long keys, double fpp)
      throws Exception {
    FilterPlan plan = layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).plan();
    BloomFilter<Long> filter = layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).build();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    assertThat(plan.bytes()).isEqualTo(out.size());
    assertThat(plan.bits()).isEqualTo(filter.stats().bits());
    assertThat(plan.keys()).isEqualTo(keys);
    assertThat(plan.family()).isEqualTo(family);
    assertThat(plan.fpp()).isPositive().isLessThanOrEqualTo(fpp);
    assertThat(plan(Woodbird.plan(keys).fpp(fpp).plans(), family)).isEqualTo(plan);
  }

  @Test
  void aFilterForABudgetFillsItAndKeepsWithinIt() {
    Trials.run(
        "aFilterForABudgetFillsItAndKeepsWithinIt",
        40,
        random -> {
          long keys = 1000 + random.nextInt(100_000);
          long budget = (long) (keys * (0.4 + 4 * random.nextDouble()));
          for (BloomLayout layout : BloomLayout.values()) {
            FilterPlan plan = layout.of(Woodbird.bloom(Keys.longs(), keys).maxBytes(budget)).plan();
            BloomFilter<Long> filter =
                layout.of(Woodbird.bloom(Keys.longs(), keys).maxBytes(budget)).build();
            assertThat(plan.bytes()).isEqualTo(filter.sizeInBytes()).isLessThanOrEqualTo(budget);
            assertThat(budget - plan.bytes()).as("bytes unused").isLessThan(64 + 4);
            assertThat(filter.stats().promisedFpp()).isEqualTo(plan.fpp());
          }
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 10, 1000, 1_000_000, 1_000_000_000, 1_000_000_000_000L, 1L << 40})
  void everyPlanKeepsTheFppAndIsNoSmallerThanPossible(long keys) {
    for (double fpp : new double[] {0.5, 0.3, 0.01, 1e-3, 1e-4, 1e-6}) {
      for (FilterPlan plan : Woodbird.plan(keys).fpp(fpp).plans()) {
        assertThat(plan.fpp()).as("%s for fpp %s", plan, fpp).isPositive().isLessThanOrEqualTo(fpp);
        assertThat(plan.bitsPerKey()).as("%s", plan).isGreaterThan(plan.limitBitsPerKey());
        assertThat(plan.bytes()).isGreaterThan(plan.bits() / 8);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {Long.MAX_VALUE, 1_000_000_000_000_000_000L, (1L << 50) + 1})
  void plansForAbsurdNumbersOfKeysAreRefused(long keys) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.plan(keys))
        .withMessageContaining("keys")
        .withMessageContaining(": " + keys);
  }

  @Test
  void plansForAnFppComeSmallestFirst() {
    List<FilterPlan> plans = Woodbird.plan(1_000_000).fpp(0.001).plans();
    assertThat(plans).isSortedAccordingTo(Comparator.comparingLong(FilterPlan::bytes));
    assertThat(plans).hasSize(8);
  }

  @Test
  void needsLeaveOutFamiliesThatDoNotServeThem() {
    assertThat(families(Woodbird.plan(1000)))
        .containsExactlyInAnyOrder(
            "bloom",
            "bloom-classic",
            "ribbon",
            "fuse",
            "deletable",
            "growing",
            "counting",
            "window");
    assertThat(families(Woodbird.plan(1000).needs(Need.PUT)))
        .containsExactlyInAnyOrder(
            "bloom", "bloom-classic", "deletable", "growing", "counting", "window");
    assertThat(families(Woodbird.plan(1000).needs(Need.DELETE)))
        .containsExactlyInAnyOrder("deletable", "growing", "counting");
    assertThat(families(Woodbird.plan(1000).needs(Need.PUT, Need.GROW))).containsExactly("growing");
    assertThat(families(Woodbird.plan(1000).needs(Need.PUT).needs(Need.WINDOW)))
        .containsExactly("window");
    assertThat(families(Woodbird.plan(1000).needs(Need.WINDOW, Need.DELETE))).isEmpty();
    assertThat(Woodbird.plan(1000).needs(Need.WINDOW, Need.DELETE).explain()).contains("None");
  }

  @Test
  void aBudgetTooSmallForEverythingGivesNoPlan() {
    assertThat(Woodbird.plan(1_000_000).maxBytes(100).plans()).isEmpty();
    assertThat(Woodbird.plan(1_000_000).maxBytes(100).explain()).contains("None");
  }

  @ParameterizedTest
  @ValueSource(longs = {1_000_000, 1L << 40, Long.MAX_VALUE / 16, Long.MAX_VALUE})
  void aHugeBudgetGivesPlans(long bytes) {
    assertThat(Woodbird.plan(1000).maxBytes(bytes).plans())
        .hasSize(8)
        .allMatch(plan -> plan.bytes() <= bytes, "fits")
        .allMatch(plan -> plan.fpp() < 1e-6, "is good");
  }

  @Test
  void theLaterOfFppAndBudgetCounts() {
    assertThat(Woodbird.plan(1000).maxBytes(5000).fpp(0.01).plans())
        .isEqualTo(Woodbird.plan(1000).fpp(0.01).plans());
    assertThat(Woodbird.plan(1000).fpp(0.01).maxBytes(5000).plans())
        .isEqualTo(Woodbird.plan(1000).maxBytes(5000).plans());
  }

  @Test
  void toString_saysItInOneLine() {
    FilterPlan plan = Woodbird.bloom(Keys.longs(), 1_000_000).fpp(0.01).plan();
    assertThat(plan.toString())
        .contains("bloom")
        .contains("1,000,000 keys")
        .contains(String.format(Locale.ROOT, "%,d bytes", plan.bytes()))
        .contains("bits a key")
        .doesNotContain("\n");
  }
}
