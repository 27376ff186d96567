package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.woodbird.Filter;
import io.woodbird.FilterPlan;
import io.woodbird.FrozenBuilder;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the planner says of every family, against filters that were really built. */
final class PlanAgainstBuildTest {
  private static final double[] FPPS = {0.3, 0.1, 0.01, 0.001, 1e-4, 1e-6};

  /** Keys up to which a growing filter has one shard. */
  private static final long GROWN_SHARD = 7619;

  private static Optional<FilterPlan> plan(String family, long keys, double fpp) {
    return Woodbird.plan(keys).fpp(fpp).plans().stream()
        .filter(plan -> plan.family().equals(family))
        .findFirst();
  }

  private static Optional<FilterPlan> planWithin(String family, long keys, long maxBytes) {
    return Woodbird.plan(keys).maxBytes(maxBytes).plans().stream()
        .filter(plan -> plan.family().equals(family))
        .findFirst();
  }

  private static FrozenBuilder<Long> frozen(String family, long seed) {
    FrozenBuilder<Long> builder = Woodbird.frozen(Keys.longs()).seed(seed).withoutVerifying();
    return family.equals("fuse") ? builder.fastToAsk() : builder.smallest();
  }

  private static Filter<Long> built(FrozenBuilder<Long> builder, long keys) {
    return builder.buildFrom(LongStream.range(0, keys).iterator());
  }

  private static void assertSame(FilterPlan plan, Filter<?> filter) {
    assertThat(filter.sizeInBytes()).as("%s", plan).isEqualTo(plan.bytes());
    assertThat(filter.stats().bits()).as("%s", plan).isEqualTo(plan.bits());
  }

  /** The same but for the order in which shards are added up. */
  private static void assertSameFpp(FilterPlan plan, Filter<?> filter) {
    assertThat(filter.stats().promisedFpp())
        .as("%s", plan)
        .isCloseTo(plan.fpp(), within(1e-12 * plan.fpp()));
  }

  /** Bloom, counting, quotient and window filters: nothing depends on the keys. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 10, 100, 999, 1000, 12_345, 100_000, 1_000_000})
  void whatIsSizedBeforeItsKeysCome_isPlannedToTheBit(long keys) {
    for (double fpp : FPPS) {
      for (BloomLayout layout : BloomLayout.values()) {
        String family = layout == BloomLayout.BLOCKED ? "bloom" : "bloom-classic";
        var builder = layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp));
        FilterPlan plan = plan(family, keys, fpp).orElseThrow();
        assertThat(builder.plan()).isEqualTo(plan);
        assertSame(plan, builder.build());
      }
      for (DeletableLayout layout : DeletableLayout.values()) {
        String family = layout == DeletableLayout.QUOTIENT ? "deletable" : "counting";
        var builder = layout.of(Woodbird.deletable(Keys.longs(), keys).fpp(fpp));
        FilterPlan plan = plan(family, keys, fpp).orElseThrow();
        assertThat(builder.plan()).isEqualTo(plan);
        assertSame(plan, builder.build());
      }
      var window = Woodbird.window(Keys.longs(), keys, Duration.ofDays(1)).fpp(fpp);
      FilterPlan plan = plan("window", keys, fpp).orElseThrow();
      assertThat(window.plan()).isEqualTo(plan);
      assertSame(plan, window.build());
      // The planner knows windows of time; the one of distinct keys is planned by its builder.
      var lastKeys = Woodbird.window(Keys.longs(), keys).fpp(fpp);
      assertSame(lastKeys.plan(), lastKeys.build());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 10, 100, 999, 1000, 12_345, 100_000})
  void fuse_isPlannedToTheBit(long keys) {
    fuseIsPlannedToTheBit(keys);
  }

  private static void fuseIsPlannedToTheBit(long keys) {
    for (double fpp : FPPS) {
      FilterPlan plan = plan("fuse", keys, fpp).orElseThrow();
      Filter<Long> filter = built(frozen("fuse", 61).fpp(fpp), keys);
      assertSame(plan, filter);
      assertThat(filter.stats().promisedFpp()).isEqualTo(plan.fpp()).isLessThanOrEqualTo(fpp);
    }
  }

  /** With fewer than 1,000 keys nothing is bumped; with more the keys decide how many are. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 10, 30, 100, 300, 999, 1000, 1200, 12_345, 100_000})
  void ribbon_isPlannedToTheBitBelowAThousandKeys_andToAFewSegmentsAbove(long keys) {
    ribbonIsPlanned(keys);
  }

  private static void ribbonIsPlanned(long keys) {
    for (double fpp : FPPS) {
      FilterPlan plan = plan("ribbon", keys, fpp).orElseThrow();
      Filter<Long> filter = built(frozen("ribbon", 62).fpp(fpp), keys);
      if (keys < 1000) {
        assertSame(plan, filter);
        assertSameFpp(plan, filter);
      } else {
        assertNear(plan, filter, keys);
      }
      assertThat(plan.fpp()).isLessThanOrEqualTo(fpp);
    }
  }

  /**
   * Four segments of 64 slots, or 0.05 %; the fpp follows, as a column more is for whole segments.
   */
  private static void assertNear(FilterPlan plan, Filter<?> filter, long keys) {
    double bitsPerSlot = Math.ceil(plan.limitBitsPerKey()) + 1;
    double most = Math.max(4 * 64 * bitsPerSlot, 0.0005 * plan.bits());
    assertThat((double) filter.stats().bits()).as("%s", plan).isCloseTo(plan.bits(), within(most));
    assertThat(filter.stats().promisedFpp())
        .as("%s", plan)
        .isCloseTo(plan.fpp(), within(plan.fpp() * (100.0 / keys + 0.0005)));
  }

  @Test
  void frozenWithinABudget_isPlannedAsItIsBuilt() {
    int[] fits = {0};
    int[] refused = {0};
    Trials.sized(
        "frozenWithinABudget_isPlannedAsItIsBuilt",
        100,
        60_000,
        (random, size) -> {
          long keys = 1 + (size >> random.nextInt(10));
          long maxBytes = 300 + random.nextInt(200) + random.nextLong(1 + 4 * keys);
          long seed = random.nextLong();
          for (String family : new String[] {"ribbon", "fuse"}) {
            Optional<FilterPlan> plan = planWithin(family, keys, maxBytes);
            FrozenBuilder<Long> builder = frozen(family, seed).maxBytes(maxBytes);
            if (plan.isEmpty()) {
              refused[0]++;
              assertThatIllegalArgumentException().isThrownBy(() -> built(builder, keys));
              continue;
            }
            fits[0]++;
            assertThat(plan.get().bytes()).isLessThanOrEqualTo(maxBytes);
            Filter<Long> filter = built(builder, keys);
            if (family.equals("fuse")) {
              assertSame(plan.get(), filter);
              assertSameFpp(plan.get(), filter);
            } else {
              assertThat(Math.log(filter.stats().promisedFpp()))
                  .as("%s", plan)
                  .isCloseTo(
                      Math.log(plan.get().fpp()), within(plan.get().bitsPerKey() * 300 / keys));
            }
          }
        });
    assertThat(fits[0]).isGreaterThan(50);
    assertThat(refused[0]).isPositive();
  }

  @ParameterizedTest
  @ValueSource(longs = {1000, 100_000, 1_000_000})
  void bloomWithinABudget_isPlannedToTheBit(long keys) {
    for (double bytesPerKey : new double[] {0.3, 1, 2.2}) {
      long maxBytes = 400 + (long) (bytesPerKey * keys);
      for (BloomLayout layout : BloomLayout.values()) {
        String family = layout == BloomLayout.BLOCKED ? "bloom" : "bloom-classic";
        Filter<Long> filter =
            layout.of(Woodbird.bloom(Keys.longs(), keys).maxBytes(maxBytes)).build();
        FilterPlan plan = planWithin(family, keys, maxBytes).orElseThrow();
        assertSame(plan, filter);
        assertThat(filter.stats().promisedFpp()).isEqualTo(plan.fpp());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 59, 60, 61, 120, 121, 1000, 7619, 7620, 15_200, 100_000})
  void growing_isPlannedToTheBitWithOneShard_andToFiveSigmaWithMore(long keys) {
    growingIsPlanned(keys);
  }

  private static void growingIsPlanned(long keys) {
    for (double fpp : new double[] {0.3, 0.01, 1e-6}) {
      var builder = Woodbird.growing(Keys.longs()).fpp(fpp).seed(63);
      MutableFilter<Long> filter = builder.build();
      for (long key = 0; key < keys; key++) {
        filter.put(key);
      }
      FilterPlan plan = plan("growing", keys, fpp).orElseThrow();
      assertThat(builder.plan(keys)).isEqualTo(plan);
      if (keys <= GROWN_SHARD) {
        assertSame(plan, filter);
      } else {
        assertThat((double) filter.stats().bits())
            .as("%s", plan)
            .isCloseTo(plan.bits(), within(growingBound(plan, fpp)));
      }
      assertThat(filter.stats().currentFpp()).isCloseTo(plan.fpp(), within(plan.fpp() * 0.03));
    }
  }

  /** Each shard has split or not; how many have varies as a binomial number does. */
  private static double growingBound(FilterPlan plan, double fpp) {
    double shardBits = plan("growing", GROWN_SHARD, fpp).orElseThrow().bits();
    double shards = plan.bits() / shardBits;
    double before = Math.pow(2, Math.floor(Math.log(shards) / Math.log(2)));
    double split = shards / before - 1;
    return shardBits * (5 * Math.sqrt(before * split * (1 - split)) + 1);
  }

  @Tag("slow")
  @Test
  void aMillionKeys_arePlannedAsFewerAre() {
    fuseIsPlannedToTheBit(1_000_000);
    ribbonIsPlanned(1_000_000);
    growingIsPlanned(1_000_000);
  }

  @Tag("slow")
  @Test
  void tenMillionKeys_arePlannedWithinTheBounds() {
    long keys = 10_000_000;
    for (double fpp : new double[] {0.3, 0.01, 1e-6}) {
      FilterPlan ribbon = plan("ribbon", keys, fpp).orElseThrow();
      assertThat((double) built(frozen("ribbon", 64).fpp(fpp), keys).stats().bits())
          .isCloseTo(ribbon.bits(), within(0.0005 * ribbon.bits()));
      // Of each shard the last segment may be there or not: one of some 200.
      FilterPlan fuse = plan("fuse", keys, fpp).orElseThrow();
      assertThat((double) built(frozen("fuse", 64).fpp(fpp), keys).stats().bits())
          .isCloseTo(fuse.bits(), within(0.007 * fuse.bits()));
    }
  }
}
