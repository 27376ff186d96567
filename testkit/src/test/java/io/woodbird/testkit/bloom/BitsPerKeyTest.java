package io.woodbird.testkit.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.FilterPlan;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import io.woodbird.testkit.BloomLayout;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The memory a key takes. */
final class BitsPerKeyTest {
  private static Stream<Arguments> limits(BloomLayout layout, double fpp, double bits) {
    return LongStream.of(100_000, 123_456, 1_000_000, 10_000_000, 1_000_000_000)
        .mapToObj(keys -> Arguments.of(layout, fpp, keys, bits));
  }

  static Stream<Arguments> limits() {
    return Stream.of(
            limits(BloomLayout.BLOCKED, 0.01, 10.3),
            limits(BloomLayout.BLOCKED, 1e-3, 15.7),
            limits(BloomLayout.BLOCKED, 1e-4, 20.5),
            limits(BloomLayout.CLASSIC, 0.01, 9.7),
            limits(BloomLayout.CLASSIC, 1e-3, 14.6),
            limits(BloomLayout.CLASSIC, 1e-4, 19.5))
        .flatMap(part -> part);
  }

  @ParameterizedTest(name = "{0} at fpp {1}, {2} keys: at most {3} bits")
  @MethodSource("limits")
  void aKeyTakesAtMostSoManyBits(BloomLayout layout, double fpp, long keys, double bits) {
    FilterPlan plan = layout.of(Woodbird.bloom(Keys.longs(), keys).fpp(fpp)).plan();
    assertThat(plan.bitsPerKey()).isLessThanOrEqualTo(bits);
    assertThat(plan.bitsPerKey()).isGreaterThan(plan.limitBitsPerKey());
    assertThat(plan.fpp()).isLessThanOrEqualTo(fpp).isGreaterThan(0.9 * fpp);
  }
}
