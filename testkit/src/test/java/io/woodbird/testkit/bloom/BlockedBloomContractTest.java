package io.woodbird.testkit.bloom;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.TestKeys;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The blocked Bloom filter in each of its shapes. */
@ParameterizedClass(name = "fpp {0}")
@ValueSource(doubles = {0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6, 1e-8})
final class BlockedBloomContractTest extends MutableFilterContract<Long> {
  BlockedBloomContractTest(double fpp) {
    super(TestKeys.longs(), fpp);
  }

  @Override
  protected MutableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return Woodbird.bloom(keys().hasher(), expectedKeys).fpp(fpp).seed(seed).build();
  }
}
