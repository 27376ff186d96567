package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.FppMeter.Measurement;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FppMeterTest {
  @Test
  void measure_asksAboutEveryNumberOnce() {
    Measurement hundred = FppMeter.measure("sevens", number -> number % 7 == 0, 70, 700);
    assertThat(hundred).isEqualTo(new Measurement("sevens", 700, 100));
    assertThat(hundred.fpp()).isEqualTo(1 / 7.0);
    assertThat(hundred.plus(hundred)).isEqualTo(new Measurement("sevens", 1400, 200));
  }

  @Test
  void measure_ofAFilterCountsLikeOneByOne() {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 1000).fpp(0.1).seed(1).build();
    for (long key = 0; key < 3000; key++) {
      filter.putLong(key);
    }
    Measurement single = FppMeter.measure("x", filter::mightContainLong, 3000, 10_500);
    assertThat(single.hits()).isBetween(3000L, 9000L);
    assertThat(FppMeter.measure("x", filter, Long::valueOf, 3000, 10_500)).isEqualTo(single);
  }

  @Test
  void atMost_acceptsFiveDeviationsAndNoMore() {
    // Mean 10,000 and deviation 99.5: 5 deviations are 497.5, the term for skewness 3.92.
    assertThatCode(() -> new Measurement("x", 1_000_000, 10_501).assertAtMost(0.01))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> new Measurement("x", 1_000_000, 10_502).assertAtMost(0.01))
        .isInstanceOf(AssertionError.class);
    assertThatCode(() -> new Measurement("x", 1_000_000, 0).assertAtMost(0.01))
        .doesNotThrowAnyException();
  }

  @Test
  void about_acceptsFiveDeviationsEitherWayAndNoMore() {
    assertThatCode(() -> new Measurement("x", 1_000_000, 10_501).assertAbout(0.01, 0))
        .doesNotThrowAnyException();
    assertThatCode(() -> new Measurement("x", 1_000_000, 9_507).assertAbout(0.01, 0))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> new Measurement("x", 1_000_000, 10_502).assertAbout(0.01, 0))
        .isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> new Measurement("x", 1_000_000, 9_506).assertAbout(0.01, 0))
        .isInstanceOf(AssertionError.class);
    // With a spread of 0.0001, 100 hits, the deviation is 141.
    assertThatCode(() -> new Measurement("x", 1_000_000, 10_700).assertAbout(0.01, 1e-4))
        .doesNotThrowAnyException();
    assertThatThrownBy(() -> new Measurement("x", 1_000_000, 10_710).assertAbout(0.01, 1e-4))
        .isInstanceOf(AssertionError.class);
  }

  @Test
  void theMessageShowsEverything() {
    assertThatThrownBy(() -> new Measurement("n 5, seed 7", 1_000_000, 12_345).assertAtMost(0.01))
        .hasMessageContaining("n 5, seed 7")
        .hasMessageContaining("at most 0.01")
        .hasMessageContaining("0.01235")
        .hasMessageContaining("12,345 hits")
        .hasMessageContaining("1,000,000 probes")
        .hasMessageContaining("10,000.00 are expected")
        .hasMessageContaining("deviation 99.50")
        .hasMessageContaining("23.6 deviations")
        .hasMessageContaining("accepted at most 10,501.41 hits");
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.1, 1, 3, 10, 100})
  void theBoundHoldsForFewHitsToo(double mean) {
    // The Poisson tail beyond the bound must be about that of 5 deviations of a normal, 2.9e-7.
    long probes = 1_000_000_000;
    double p = mean / probes;
    long most = 0;
    while (accepts(new Measurement("x", probes, most + 1), p)) {
      most++;
    }
    double tail = 0;
    double term = Math.exp(-mean);
    for (int hits = 0; hits < 400; hits++) {
      tail += hits > most ? term : 0;
      term *= mean / (hits + 1);
    }
    assertThat(tail).isLessThan(1e-6);
  }

  private static boolean accepts(Measurement measurement, double promised) {
    try {
      measurement.assertAtMost(promised);
      return true;
    } catch (AssertionError e) {
      return false;
    }
  }

  @Test
  void anHonestCoinPassesAndABentOneFails() {
    SplittableRandom random = new SplittableRandom(5);
    FppMeter.measure("honest", number -> random.nextInt(1000) < 10, 0, 5_000_000)
        .assertAbout(0.01, 0);
    Measurement bent = FppMeter.measure("bent", number -> random.nextInt(1000) < 11, 0, 5_000_000);
    assertThatThrownBy(() -> bent.assertAtMost(0.01)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> bent.assertAbout(0.01, 0)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(() -> bent.assertAbout(0.012, 0)).isInstanceOf(AssertionError.class);
  }
}
