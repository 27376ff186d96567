package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.woodbird.FilterFullException;
import io.woodbird.IncompatibleFilterException;
import io.woodbird.MergeableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import io.woodbird.testkit.DeletableLayout;
import io.woodbird.testkit.Together;
import io.woodbird.testkit.Trials;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two filters become one, with every key as often as in both. */
final class MergeTest {
  private static <K> MergeableFilter<K> make(
      KeyHasher<K> keys, DeletableLayout layout, long expected, double fpp, long seed) {
    return layout.of(Woodbird.deletable(keys, expected).fpp(fpp)).seed(seed).build();
  }

  private static byte[] bytesOf(MergeableFilter<?> filter) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo(out);
    return out.toByteArray();
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void theMergedFilterIsTheFilterOfAllPuts(DeletableLayout layout) {
    Trials.sized(
        "theMergedFilterIsTheFilterOfAllPuts",
        60,
        20_000,
        (random, size) -> {
          double fpp = new double[] {0.3, 0.03, 0.0072, 1e-3, 1e-6}[random.nextInt(5)];
          long seed = random.nextLong();
          List<MergeableFilter<Long>> filters = new ArrayList<>();
          for (int i = 0; i < 3; i++) {
            filters.add(make(Keys.longs(), layout, Math.max(1, size), fpp, seed));
          }
          for (int i = 0; i < size; i++) {
            long key = random.nextInt(size);
            filters.get(random.nextInt(2)).putLong(key);
            filters.get(2).putLong(key);
          }
          byte[] other = bytesOf(filters.get(1));
          filters.get(0).merge(filters.get(1));
          assertThat(bytesOf(filters.get(0))).isEqualTo(bytesOf(filters.get(2)));
          assertThat(bytesOf(filters.get(1))).as("the other").isEqualTo(other);
        });
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void whatWasMergedCanBeRemoved(DeletableLayout layout) throws IOException {
    MergeableFilter<Long> one = make(Keys.longs(), layout, 2000, 0.001, 81);
    MergeableFilter<Long> two = make(Keys.longs(), layout, 2000, 0.001, 81);
    for (long key = 0; key < 1000; key++) {
      one.putLong(key);
      two.putLong(500 + key);
    }
    byte[] before = bytesOf(one);
    one.merge(two);
    for (long key = 0; key < 1000; key++) {
      assertThat(one.removeLong(500 + key)).isTrue();
    }
    assertThat(bytesOf(one)).isEqualTo(before);
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void aFilterMergedWithItselfHoldsEverythingTwice(DeletableLayout layout) {
    MergeableFilter<Long> filter = make(Keys.longs(), layout, 1000, 0.001, 82);
    for (long key = 0; key < 400; key++) {
      filter.putLong(key);
    }
    filter.merge(filter);
    for (int times = 0; times < 2; times++) {
      for (long key = 0; key < 400; key++) {
        assertThat(filter.mightContainLong(key)).isTrue();
        assertThat(filter.removeLong(key)).isTrue();
      }
    }
    assertThat(filter.stats().estimatedKeys()).isZero();
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void otherShapesAreRefused_andBothAreShown(DeletableLayout layout) throws IOException {
    MergeableFilter<Long> filter = make(Keys.longs(), layout, 1000, 0.01, 83);
    filter.putLong(1L);
    byte[] before = bytesOf(filter);
    DeletableLayout another = DeletableLayout.values()[1 - layout.ordinal()];
    for (MergeableFilter<Long> other :
        List.of(
            make(Keys.longs(), layout, 5000, 0.01, 83),
            make(Keys.longs(), layout, 1000, 1e-4, 83),
            make(Keys.longs(), layout, 1000, 0.01, 84),
            make(Keys.longs(), another, 1000, 0.01, 83),
            make(Keys.keyed(new byte[16]).longs(), layout, 1000, 0.01, 83))) {
      assertThatExceptionOfType(IncompatibleFilterException.class)
          .isThrownBy(() -> filter.merge(other))
          .withMessageContaining("this:")
          .withMessageContaining("other:")
          .withMessageContaining(shown(filter, 83))
          .withMessageContaining(other.stats().layout())
          .withMessageContaining(String.format("%,d bits", other.stats().bits()));
    }
    assertThat(bytesOf(filter)).isEqualTo(before);
  }

  private static String shown(MergeableFilter<Long> filter, long seed) {
    return String.format(
        "%s, %,d bits, seed %d, keys %s",
        filter.stats().layout(), filter.stats().bits(), seed, Keys.longs().id());
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void nullIsRefused(DeletableLayout layout) {
    MergeableFilter<Long> filter = make(Keys.longs(), layout, 1000, 0.01, 83);
    assertThatNullPointerException().isThrownBy(() -> filter.merge(null));
  }

  @Test
  void aMergeThatDoesNotFitSaysSo_andLosesNothingOfEither() {
    MergeableFilter<Long> one = make(Keys.longs(), DeletableLayout.QUOTIENT, 1000, 0.01, 85);
    MergeableFilter<Long> two = make(Keys.longs(), DeletableLayout.QUOTIENT, 1000, 0.01, 85);
    for (long key = 0; key < 900; key++) {
      one.putLong(key);
      two.putLong(1000 + key);
    }
    assertThatExceptionOfType(FilterFullException.class).isThrownBy(() -> one.merge(two));
    assertThat(two.stats().estimatedKeys()).isEqualTo(900);
    assertThat(one.stats().estimatedKeys()).isGreaterThanOrEqualTo(1000);
    for (long key = 0; key < 900; key++) {
      assertThat(one.mightContainLong(key)).isTrue();
      assertThat(two.mightContainLong(1000 + key)).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void mergesOfEachOtherAtOnceDoNotWaitForEver(DeletableLayout layout) {
    for (int round = 0; round < 20; round++) {
      MergeableFilter<Long> one = make(Keys.longs(), layout, 200_000, 0.01, 86);
      MergeableFilter<Long> two = make(Keys.longs(), layout, 200_000, 0.01, 86);
      for (long key = 0; key < 2000; key++) {
        one.putLong(key);
        two.putLong(2000 + key);
      }
      Together.run(
          2,
          thread -> {
            if (thread == 0) {
              one.merge(two);
            } else {
              two.merge(one);
            }
          });
      for (long key = 0; key < 4000; key++) {
        assertThat(one.mightContainLong(key)).isTrue();
        assertThat(two.mightContainLong(key)).isTrue();
      }
    }
  }
}
