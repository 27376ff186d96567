package io.woodbird.testkit.frozen;

import io.woodbird.Filter;
import io.woodbird.testkit.FilterContract;
import io.woodbird.testkit.TestKeys;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The ribbon filter in several widths, with two kinds of keys. */
@ParameterizedClass(name = "{0}, fpp {1}")
@MethodSource("cases")
final class RibbonContractTest<K> extends FilterContract<K> {
  RibbonContractTest(TestKeys<K> keys, double fpp) {
    super(keys, fpp);
  }

  static Stream<Arguments> cases() {
    return DoubleStream.of(0.25, 0.01, 1.0 / 256, 1e-3, 1e-6)
        .boxed()
        .flatMap(
            fpp ->
                Stream.of(TestKeys.longs(), TestKeys.strings())
                    .map(keys -> Arguments.of(keys, fpp)));
  }

  @Override
  protected Filter<K> filterOf(List<K> present, double fpp, long seed) {
    return Kind.RIBBON.of(keys().hasher()).fpp(fpp).seed(seed).buildFrom(present);
  }
}
