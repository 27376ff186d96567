package io.woodbird.testkit.guard;

import io.woodbird.MutableFilter;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.testkit.MutableFilterContract;
import io.woodbird.testkit.TestKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;

/** A rebuilding filter, once it is built, is a filter like any other. */
final class RebuildingContractTest extends MutableFilterContract<String> {
  private final List<RebuildingFilter<String>> made = new ArrayList<>();

  RebuildingContractTest() {
    super(TestKeys.strings(), 0.01);
  }

  @Override
  protected MutableFilter<String> make(long expectedKeys, double fpp, long seed) {
    RebuildingFilter<String> filter =
        RebuildingFilter.of(keys().hasher(), Stream::<String>empty)
            .allowEmpty()
            .expectedKeys(expectedKeys)
            .headroom(1)
            .fpp(fpp)
            .seed(seed)
            .start();
    filter.rebuildNow().join();
    made.add(filter);
    return filter;
  }

  @AfterEach
  void close() {
    made.forEach(RebuildingFilter::close);
  }
}
