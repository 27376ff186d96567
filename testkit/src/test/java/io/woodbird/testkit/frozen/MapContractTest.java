package io.woodbird.testkit.frozen;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.FilterContract;
import io.woodbird.testkit.TestKeys;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A map is a filter of its keys too. */
@ParameterizedClass(name = "{0}, fpp {1}, {2} bits")
@MethodSource("cases")
final class MapContractTest<K> extends FilterContract<K> {
  private final int valueBits;

  MapContractTest(TestKeys<K> keys, double fpp, int valueBits) {
    super(keys, fpp);
    this.valueBits = valueBits;
  }

  static Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of(TestKeys.longs(), 0.25, 1),
        Arguments.of(TestKeys.strings(), 0.01, 3),
        Arguments.of(TestKeys.longs(), 1e-3, 16));
  }

  @Override
  protected Filter<K> filterOf(List<K> present, double fpp, long seed) {
    return Woodbird.frozenMap(keys().hasher())
        .valueBits(valueBits)
        .fpp(fpp)
        .seed(seed)
        .buildFrom(
            present.stream()
                .map(key -> Map.entry(key, keys().hasher().hash(key, 1) >>> (64 - valueBits)))
                .toList());
  }
}
