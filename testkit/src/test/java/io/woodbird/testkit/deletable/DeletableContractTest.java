package io.woodbird.testkit.deletable;

import io.woodbird.DeletableFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.DeletableFilterContract;
import io.woodbird.testkit.DeletableLayout;
import io.woodbird.testkit.TestKeys;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

/** Both layouts of a filter whose keys can be removed. */
@ParameterizedClass(name = "{0}, fpp {1}")
@CsvSource({
  "QUOTIENT, 0.1", "QUOTIENT, 0.0072", "QUOTIENT, 0.0009", "QUOTIENT, 1e-6",
  "COUNTING, 0.1", "COUNTING, 0.01", "COUNTING, 0.001", "COUNTING, 1e-6"
})
final class DeletableContractTest extends DeletableFilterContract<Long> {
  private final DeletableLayout layout;

  DeletableContractTest(DeletableLayout layout, double fpp) {
    super(TestKeys.longs(), fpp);
    this.layout = layout;
  }

  @Override
  protected DeletableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return layout.of(Woodbird.deletable(keys().hasher(), expectedKeys).fpp(fpp)).seed(seed).build();
  }

  @Override
  protected long counted(long distinct, int times) {
    return layout == DeletableLayout.QUOTIENT ? distinct * times : distinct;
  }
}
