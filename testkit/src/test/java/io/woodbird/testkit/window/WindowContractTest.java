package io.woodbird.testkit.window;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.TestKeys;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** A window in which no time passes. */
@ParameterizedClass(name = "fpp {0}")
@ValueSource(doubles = {0.1, 0.01, 1e-3, 1e-6})
final class WindowContractTest extends MutableFilterContract<Long> {
  WindowContractTest(double fpp) {
    super(TestKeys.longs(), fpp);
  }

  @Override
  protected MutableFilter<Long> make(long expectedKeys, double fpp, long seed) {
    return Woodbird.window(keys().hasher(), expectedKeys, Duration.ofHours(24))
        .fpp(fpp)
        .seed(seed)
        .clock(() -> 0)
        .build();
  }

  @Override
  protected boolean bytesDependOnKeysAlone() {
    return false;
  }

  @Override
  protected long counted(long distinct, int times) {
    // A key that comes again in a later generation is in both.
    int generation = (2 * MANY + 6) / 7;
    return distinct < generation ? distinct : distinct * times;
  }
}
