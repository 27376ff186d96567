package io.woodbird.testkit.deletable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.woodbird.DeletableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.DeletableLayout;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad parameters are refused with a message that names them. */
final class BadInputTest {
  @ParameterizedTest
  @ValueSource(longs = {0, -1, -3, Long.MIN_VALUE})
  void aNumberOfKeysThatIsNotPositiveIsRefused(long keys) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Woodbird.deletable(Keys.longs(), keys))
        .withMessageContaining("expectedKeys")
        .withMessageContaining(": " + keys);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -0.0, -0.01, 1, 1.5, Double.NaN, Double.POSITIVE_INFINITY, 1e-20})
  void anFppThatIsNoneIsRefused_andABuilderTakesAnother(double fpp) {
    var builder = Woodbird.deletable(Keys.longs(), 10).seed(1);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.fpp(fpp))
        .withMessageContaining("fpp")
        .withMessageContaining(String.valueOf(fpp));
    assertThat(builder.fpp(0.1).build().stats().promisedFpp()).isEqualTo(0.1);
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void absurdNumbersOfKeysAreRefused(DeletableLayout layout) {
    for (long keys : new long[] {1L << 62, 1L << 60, 1L << 48, (1L << 40) + 1}) {
      var builder = layout.of(Woodbird.deletable(Keys.longs(), keys).fpp(0.9));
      assertThatIllegalArgumentException()
          .isThrownBy(builder::build)
          .withMessageContaining("fpp 0.9")
          .withMessageContaining(String.format(Locale.ROOT, "%,d keys", keys));
      assertThatIllegalArgumentException().isThrownBy(builder::plan);
    }
  }

  /** It can be planned, for a machine that has the memory. */
  @Test
  void moreThanTheHeapHoldsIsRefused() {
    for (long keys : new long[] {1L << 40, 1L << 38, Runtime.getRuntime().maxMemory()}) {
      var builder = Woodbird.deletable(Keys.longs(), keys).fpp(0.01);
      assertThatIllegalArgumentException()
          .isThrownBy(builder::build)
          .withMessageContaining(String.format(Locale.ROOT, "%,d keys at fpp 0.01", keys))
          .withMessageContaining(
              String.format(Locale.ROOT, "%,d bytes", builder.plan().bits() / 8));
    }
  }

  @Test
  @SuppressWarnings({"DataFlowIssue", "NullAway"})
  void nullIsRefused() {
    assertThatNullPointerException().isThrownBy(() -> Woodbird.deletable(null, 10));
  }

  @ParameterizedTest
  @EnumSource(DeletableLayout.class)
  void aWrongCountOfABatchIsRefused(DeletableLayout layout) {
    DeletableFilter<Long> filter = layout.of(Woodbird.deletable(Keys.longs(), 10)).build();
    for (int count : new int[] {-1, 4}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.candidates(new long[3], count, new int[9]))
          .withMessageContaining("count")
          .withMessageContaining(": " + count);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> filter.putHashes(new long[3], count))
          .withMessageContaining(": " + count);
    }
    assertThat(filter.stats().fill()).isZero();
  }
}
