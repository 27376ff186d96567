package io.woodbird.testkit.deletable;

import io.woodbird.DeletableFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.DeletableFilterContract;
import io.woodbird.testkit.TestKeys;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The filter that grows, at some promises. */
@ParameterizedClass(name = "fpp {0}")
@ValueSource(doubles = {0.1, 0.01, 1e-3, 1e-6})
final class GrowingContractTest extends DeletableFilterContract<Long> {
  GrowingContractTest(double fpp) {
    super(TestKeys.longs(), fpp);
  }

  @Override
  protected DeletableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return Woodbird.growing(keys().hasher()).fpp(fpp).seed(seed).build();
  }

  @Override
  protected long counted(long distinct, int times) {
    return distinct * times;
  }

  @Override
  protected boolean bytesDependOnKeysAlone() {
    return false;
  }
}
