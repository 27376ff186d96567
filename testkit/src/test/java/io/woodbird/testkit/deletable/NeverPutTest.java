package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.DeletableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.DeletableLayout;
import io.woodbird.testkit.FppMeter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Removing keys that were never put: how often it does harm, and how much. */
final class NeverPutTest {
  private static final int KEYS = 50_000;

  private static DeletableFilter<Long> full(DeletableLayout layout, double fpp) {
    DeletableFilter<Long> filter =
        layout.of(Woodbird.deletable(Keys.longs(), KEYS).fpp(fpp)).seed(93).build();
    for (long key = 0; key < KEYS; key++) {
      filter.putLong(key);
    }
    return filter;
  }

  private static byte[] bytesOf(DeletableFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @CsvSource({
    "QUOTIENT, 0.1", "QUOTIENT, 0.0072", "QUOTIENT, 0.0009",
    "COUNTING, 0.1", "COUNTING, 0.01", "COUNTING, 0.001"
  })
  void itHappensAsOftenAsAFalsePositive_andPuttingTheKeyBackUndoesIt(
      DeletableLayout layout, double fpp) throws IOException {
    DeletableFilter<Long> filter = full(layout, fpp);
    byte[] before = bytesOf(filter);
    long probes = (long) Math.max(200_000, 300 / fpp);
    FppMeter.Measurement removed =
        FppMeter.measure(
            layout + " removed, seed 93",
            key -> {
              boolean maybe = filter.mightContainLong(key);
              boolean gone = filter.removeLong(key);
              assertThat(gone).isEqualTo(maybe);
              if (gone) {
                filter.putLong(key);
              }
              return gone;
            },
            KEYS,
            probes);
    removed.assertAtMost(fpp);
    removed.assertAbout(filter.stats().currentFpp(), filter.stats().currentFpp() / 50);
    assertThat(bytesOf(filter)).isEqualTo(before);
  }

  /** A wrong remove takes one fingerprint, or lowers every counter, each of another key. */
  @ParameterizedTest
  @CsvSource({"QUOTIENT, 0.0072, 1", "QUOTIENT, 0.1, 1", "COUNTING, 0.01, 6", "COUNTING, 0.1, 4"})
  void itTakesFewKeysAway_andTheFilterGoesOn(DeletableLayout layout, double fpp, int most) {
    DeletableFilter<Long> filter = full(layout, fpp);
    long removed = 0;
    for (long key = KEYS; key < 4 * KEYS; key++) {
      removed += filter.removeLong(key) ? 1 : 0;
    }
    long lost = 0;
    for (long key = 0; key < KEYS; key++) {
      lost += filter.mightContainLong(key) ? 0 : 1;
    }
    assertThat(removed).isPositive();
    assertThat(lost).isPositive().isLessThanOrEqualTo(most * removed);
    System.out.printf("%s, fpp %s: %d wrong removes, %d keys lost%n", layout, fpp, removed, lost);
    if (filter.stats().layout().startsWith("quotient")) {
      assertThat(filter.stats().estimatedKeys()).isEqualTo(KEYS - removed);
    }
    // What is put from now on is found, and can be removed.
    for (long key = 10L * KEYS; key < 10L * KEYS + removed; key++) {
      filter.putLong(key);
    }
    for (long key = 10L * KEYS; key < 10L * KEYS + removed; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
  }
}
