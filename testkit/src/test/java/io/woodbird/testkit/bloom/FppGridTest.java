package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import io.woodbird.testkit.FppMeter;
import io.woodbird.testkit.FppMeter.Measurement;
import io.woodbird.testkit.Together;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The measured fpp meets the request, for every number of keys and every fpp. */
final class FppGridTest {
  private static final double[] FPPS = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6};

  private static Stream<Arguments> grid(double[] fpps, long... keyCounts) {
    return LongStream.of(keyCounts)
        .boxed()
        .flatMap(
            keys ->
                DoubleStream.of(fpps)
                    .boxed()
                    .flatMap(
                        fpp ->
                            Stream.of(BloomLayout.values())
                                .map(layout -> Arguments.of(layout, keys, fpp))));
  }

  static Stream<Arguments> small() {
    return grid(FPPS, 1, 10, 1000, 100_000);
  }

  static Stream<Arguments> million() {
    return grid(new double[] {0.01, 1e-3}, 1_000_000);
  }

  static Stream<Arguments> all() {
    return grid(FPPS, 1, 10, 1000, 100_000, 1_000_000, 10_000_000, 100_000_000);
  }

  /**
   * Five deviations of the hits are 11 % of an fpp of 1 % and 54 % of 1e-4. The formula of the
   * books, which takes all blocks to be equally full, misses the first by 17 % and the second by
   * 190 %. Of 1e-6 two hits are expected, and 13 accepted.
   */
  @ParameterizedTest(name = "{0}, {1} keys, fpp {2}")
  @MethodSource({"small", "million"})
  void theMeasuredFppIsAtMostTheRequestedOne(BloomLayout layout, long keys, double fpp) {
    measure(layout, keys, fpp, Math.max(200_000, Math.min(100 / fpp, 2e6))).assertAtMost(fpp);
  }

  @Tag("slow")
  @ParameterizedTest(name = "{0}, {1} keys, fpp {2}")
  @MethodSource("all")
  void theMeasuredFppIsAtMostTheRequestedOneWithManyProbes(
      BloomLayout layout, long keys, double fpp) {
    measure(layout, keys, fpp, Math.max(500_000, Math.min(1e4 / fpp, 2e8))).assertAtMost(fpp);
  }

  /**
   * Few keys make a filter whose own fpp differs from the mean by chance, and by more than a
   * measurement does; so many of them share the probes.
   */
  private static Measurement measure(
      BloomLayout layout, long keys, double fpp, double wantedProbes) {
    int filters = keys <= 1000 ? 64 : 1;
    long probes = (long) wantedProbes / filters;
    long seed = (long) (keys / fpp) + layout.ordinal();
    SplittableRandom seeds = new SplittableRandom(seed);
    String what =
        String.format(
            Locale.ROOT, "%s, %,d keys, seed %d, %d filters", layout, keys, seed, filters);
    Measurement sum = new Measurement(what, 0, 0);
    for (int i = 0; i < filters; i++) {
      BloomFilter<Long> filter =
          layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).seed(seeds.nextLong()).build();
      fill(filter, keys);
      sum = sum.plus(FppMeter.measure(what, filter, Long::valueOf, keys, probes));
      assertThat(filter.stats().promisedFpp()).isEqualTo(fpp);
    }
    return sum;
  }

  private static void fill(BloomFilter<Long> filter, long keys) {
    int threads = keys >= 1_000_000 ? 2 : 1;
    Together.run(
        threads,
        thread -> {
          for (long key = thread; key < keys; key += threads) {
            filter.putLong(key);
          }
        });
  }

  static Stream<Arguments> tiny() {
    return grid(FPPS, 1, 2, 3, 10, 50, 300, 2000);
  }

  @ParameterizedTest(name = "{0}, {1} keys, fpp {2}")
  @MethodSource("tiny")
  void everySingleSmallFilterKeepsThePromise(BloomLayout layout, long keys, double fpp) {
    // Sized with a guard of 3 or 4 deviations, so one in 740 or in 31,000 may miss it. With a guard
    // of one deviation 16 % would: five of twenty, which is too many, in every fifth line of the
    // grid, and in none of its 49 lines for a layout once in 60,000 runs (0.8^49).
    int filters = 20;
    int missed = 0;
    for (int seed = 0; seed < filters; seed++) {
      BloomFilter<Long> filter =
          layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).seed(seed).build();
      for (long key = 0; key < keys; key++) {
        filter.putLong(key);
      }
      missed += filter.stats().overfull() ? 1 : 0;
    }
    new Measurement("filters that miss their promise, seeds 0 to 19", filters, missed)
        .assertAtMost(1 / 740.0);
  }

  static Stream<Arguments> medium() {
    return grid(new double[] {0.3, 0.1, 0.03, 0.01, 1e-3}, 1000, 100_000);
  }

  @ParameterizedTest(name = "{0}, {1} keys, fpp {2}")
  @MethodSource("medium")
  void theStatsOfAFullFilterSayWhatIsMeasured(BloomLayout layout, long keys, double fpp) {
    BloomFilter<Long> filter =
        layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).seed(5).build();
    fill(filter, keys);
    FppMeter.measure("seed 5", filter, Long::valueOf, keys, (long) (2000 / fpp))
        .assertAbout(filter.stats().currentFpp(), 0);
  }
}
