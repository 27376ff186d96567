package io.woodbird.testkit.bloom;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.TestKeys;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** The classic Bloom filter with few and with many bits a key. */
@ParameterizedClass(name = "fpp {0}")
@ValueSource(doubles = {0.3, 0.01, 1e-6})
final class ClassicBloomContractTest extends MutableFilterContract<Long> {
  ClassicBloomContractTest(double fpp) {
    super(TestKeys.longs(), fpp);
  }

  @Override
  protected MutableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return Woodbird.bloom(keys().hasher(), expectedKeys).fpp(fpp).classic().seed(seed).build();
  }
}
