package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import io.woodbird.BloomFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bad parameters are refused with a message that names them, before anything is allocated. */
final class BadInputTest {
  /** More than messages and stack traces take, less than any filter worth refusing. */
  private static final long LITTLE = 4 << 20;

  private static long allocatedBy(ThrowingCallable call) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(id);
    assertThat(before).as("the JVM counts allocated bytes").isNotNegative();
    try {
      call.call();
    } catch (Throwable e) {
      // Looked at by the caller.
    }
    return threads.getThreadAllocatedBytes(id) - before;
  }

  static Stream<Arguments> refused() {
    return Stream.of(
            Stream.of(0L, -1L, -3L, Long.MIN_VALUE)
                .flatMap(
                    keys ->
                        Stream.of(
                            refusal(
                                "bloom",
                                () -> Woodbird.bloom(Keys.longs(), keys),
                                "expectedKeys",
                                keys),
                            refusal("plan", () -> Woodbird.plan(keys), "keys", keys))),
            Stream.of(0.0, -0.0, -0.01, 1.0, 1.5, Double.NaN, Double.POSITIVE_INFINITY)
                .flatMap(BadInputTest::refusalsOfFpp),
            Stream.of(Double.NEGATIVE_INFINITY, -Double.MIN_VALUE, Math.nextUp(1.0))
                .flatMap(BadInputTest::refusalsOfFpp),
            Stream.of(1e-300, Double.MIN_VALUE, 1e-20).flatMap(BadInputTest::refusalsOfFpp),
            Stream.of(0L, -1L, Long.MIN_VALUE)
                .flatMap(
                    bytes ->
                        Stream.of(
                            refusal(
                                "bloom",
                                () -> Woodbird.bloom(Keys.longs(), 10).maxBytes(bytes),
                                "maxBytes",
                                bytes),
                            refusal(
                                "plan",
                                () -> Woodbird.plan(10).maxBytes(bytes),
                                "maxBytes",
                                bytes))),
            Stream.of(1L, 100L, 272L, 335L)
                .map(
                    bytes ->
                        refusal(
                            "bloom",
                            () -> Woodbird.bloom(Keys.longs(), 10).maxBytes(bytes).build(),
                            "maxBytes",
                            bytes)))
        .flatMap(part -> part);
  }

  private static Stream<Arguments> refusalsOfFpp(double fpp) {
    return Stream.of(
        refusal("bloom", () -> Woodbird.bloom(Keys.longs(), 10).fpp(fpp), "fpp", fpp),
        refusal("plan", () -> Woodbird.plan(10).fpp(fpp), "fpp", fpp));
  }

  private static Arguments refusal(
      String where, ThrowingCallable call, String parameter, Object value) {
    return arguments(where, parameter, value, call);
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @MethodSource("refused")
  void theMessageNamesTheParameterAndTheValue(
      String where, String parameter, Object value, ThrowingCallable call) {
    assertThatIllegalArgumentException()
        .isThrownBy(call)
        .withMessageContaining(parameter)
        .withMessageContaining(value.toString());
    assertThat(allocatedBy(call)).isLessThan(LITTLE);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {Long.MAX_VALUE, 1_000_000_000_000_000_000L, 1_000_000_000_000L, 60_000_000_000L})
  void absurdNumbersOfKeysAreRefused(long keys) {
    for (BloomLayout layout : BloomLayout.values()) {
      for (double fpp : new double[] {0.3, 0.01}) {
        ThrowingCallable build =
            () -> layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).build();
        assertThatIllegalArgumentException()
            .as("%s, fpp %s", layout, fpp)
            .isThrownBy(build)
            .withMessageContaining("fpp " + fpp)
            .withMessageContaining(String.format(Locale.ROOT, "%,d keys", keys));
        assertThat(allocatedBy(build)).isLessThan(LITTLE);
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> layout.of(Woodbird.bloom(Keys.longs(), keys)).build());
      assertThatIllegalArgumentException()
          .isThrownBy(() -> layout.of(Woodbird.bloom(Keys.longs(), keys)).plan());
    }
  }

  @ParameterizedTest
  @EnumSource(BloomLayout.class)
  void absurdNumbersOfBytesAreRefused(BloomLayout layout) {
    for (long bytes : new long[] {Long.MAX_VALUE, Long.MAX_VALUE / 2, 1L << 60, 1L << 40}) {
      ThrowingCallable build =
          () -> layout.of(Woodbird.bloom(Keys.longs(), 1000).maxBytes(bytes)).build();
      assertThatIllegalArgumentException().as("maxBytes %d", bytes).isThrownBy(build);
      assertThat(allocatedBy(build)).isLessThan(LITTLE);
    }
  }

  @Test
  void anFppAndTooFewBytesAreRefusedTogether() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> Woodbird.bloom(Keys.longs(), 1_000_000).fpp(0.01).maxBytes(1_000_000).build())
        .withMessageContaining("fpp 0.01")
        .withMessageContaining("maxBytes 1,000,000");
    assertThatCode(
            () -> Woodbird.bloom(Keys.longs(), 1_000_000).fpp(0.01).maxBytes(1_300_000).build())
        .doesNotThrowAnyException();
  }

  @Test
  @SuppressWarnings("DataFlowIssue")
  void nullArgumentsAreRefused() {
    assertThatNullPointerException().isThrownBy(() -> Woodbird.bloom(null, 10));
    assertThatNullPointerException()
        .isThrownBy(() -> Woodbird.bloom(Keys.longs(), 10).onOverfull(null));
    assertThatNullPointerException().isThrownBy(() -> Keys.by("x", null, Keys.longs()));
    assertThatNullPointerException().isThrownBy(() -> Keys.by("x", key -> key, null));
    assertThatNullPointerException().isThrownBy(() -> Keys.keyed(null));
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), 10).build();
    assertThatNullPointerException().isThrownBy(() -> filter.union(null));
    assertThat(filter.stats().fill()).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 15, 17, 32})
  void aSecretOfAnotherLengthThanSixteenIsRefused(int length) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Keys.keyed(new byte[length]))
        .withMessageContaining("secret")
        .withMessageContaining(": " + length);
  }

  @Test
  void aBuilderThatRefusedOneValueTakesAnother() {
    var builder = Woodbird.bloom(Keys.longs(), 1000).seed(1);
    assertThatIllegalArgumentException().isThrownBy(() -> builder.fpp(2));
    BloomFilter<Long> filter = builder.fpp(0.1).build();
    assertThat(filter.putAll(List.of(1L, 2L))).isEqualTo(2);
    assertThat(filter.stats().promisedFpp()).isEqualTo(0.1);
  }
}
