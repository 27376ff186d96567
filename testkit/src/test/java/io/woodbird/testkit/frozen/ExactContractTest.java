package io.woodbird.testkit.frozen;

import io.woodbird.Filter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.FilterContract;
import io.woodbird.testkit.TestKeys;
import java.util.List;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** An exact filter keeps the promise of a filter to keys that it was not told about. */
@ParameterizedClass(name = "{0}")
@MethodSource("cases")
final class ExactContractTest<K> extends FilterContract<K> {
  ExactContractTest(TestKeys<K> keys) {
    super(keys, 0.01);
  }

  static List<TestKeys<?>> cases() {
    return List.of(TestKeys.longs(), TestKeys.strings());
  }

  @Override
  protected Filter<K> filterOf(List<K> present, double fpp, long seed) {
    List<K> others = keys().range(1 << 29, (1 << 29) + 1000);
    return Woodbird.frozen(keys().hasher())
        .fpp(fpp)
        .seed(seed)
        .exactAgainst(others)
        .buildFrom(present);
  }
}
