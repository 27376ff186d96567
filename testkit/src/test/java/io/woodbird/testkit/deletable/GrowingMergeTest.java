package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FilterStats;
import io.woodbird.MergeableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter;
import org.junit.jupiter.api.Test;

/** Small growing filters merged into a large one: what becomes of the fpp. */
final class GrowingMergeTest {
  private static final long LARGE = 200_000;
  private static final int PARTS = 200;
  private static final int KEYS = 50; // Of each part.
  private static final int PROBES = 200_000;

  private static MergeableFilter<Long> filled(double fpp, long from, long count) {
    MergeableFilter<Long> filter = Woodbird.growing(Keys.longs()).fpp(fpp).seed(91).build();
    for (long key = from; key < from + count; key++) {
      filter.put(key);
    }
    return filter;
  }

  /** Merges the parts one by one; the fpp after each is at most the sum of both. */
  private static MergeableFilter<Long> merged(double fpp) {
    MergeableFilter<Long> all = filled(fpp, 0, LARGE);
    double sum = all.stats().currentFpp();
    for (int part = 0; part < PARTS; part++) {
      MergeableFilter<Long> small = filled(fpp, LARGE + (long) part * KEYS, KEYS);
      sum += small.stats().currentFpp();
      all.merge(small);
      // Doubling changes nothing of it; the sums differ by the rounding of doubles.
      assertThat(all.stats().currentFpp()).as("part %d", part).isLessThanOrEqualTo(sum * 1.000001);
    }
    assertThat(all.stats().estimatedKeys()).isEqualTo(LARGE + PARTS * KEYS);
    for (long key = 0; key < LARGE + PARTS * KEYS; key++) {
      assertThat(all.mightContain(key)).isTrue();
    }
    return all;
  }

  private static FppMeter.Measurement measure(String name, MergeableFilter<Long> filter) {
    return FppMeter.measure(name, filter, Long::valueOf, 1L << 50, PROBES);
  }

  @Test
  void mergingAddsTheFppOfBothAndStatsSayIt() {
    double promised = 0.01;
    MergeableFilter<Long> all = merged(promised);
    FilterStats stats = all.stats();
    measure("merged", all).assertAtMost(stats.currentFpp());
    // A part has 50 of its 64 places full, and a fingerprint of 11 bits.
    assertThat(stats.currentFpp()).isGreaterThan(PARTS * KEYS * 0x1p-17).isGreaterThan(promised);
    assertThat(stats.overfull()).isTrue();
  }

  @Test
  void partsWithAFractionOfTheFppKeepThePromise() {
    double promised = 0.01;
    MergeableFilter<Long> all = merged(promised / PARTS);
    assertThat(all.stats().currentFpp()).isLessThanOrEqualTo(promised);
    measure("merged", all).assertAtMost(promised);
  }

  @Test
  void removingWhatWasMergedLosesNoOtherKey() {
    MergeableFilter<Long> all = filled(0.01, 0, LARGE);
    for (int part = 0; part < 2; part++) {
      all.merge(filled(0.01, LARGE + (long) part * KEYS, KEYS));
    }
    double before = all.stats().currentFpp();
    for (long key = LARGE; key < LARGE + KEYS; key++) {
      assertThat(all.remove(key)).isTrue();
    }
    for (long key = 0; key < LARGE + 2 * KEYS; key++) {
      if (key < LARGE || key >= LARGE + KEYS) {
        assertThat(all.mightContain(key)).as("key %d", key).isTrue();
      }
    }
    assertThat(all.stats().currentFpp()).isLessThan(before);
    assertThat(all.stats().estimatedKeys()).isEqualTo(LARGE + KEYS);
  }
}
