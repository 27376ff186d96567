package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A thread that asks in a bare loop sees what another thread puts. */
class PollingTest {
  /** Long enough for the loop to be compiled: a plain read is then taken out of it. */
  private static final long COMPILED_MILLIS = 400;

  /** Only a failing test waits so long. */
  private static final long FAILED_MILLIS = 60_000;

  static List<MutableFilter<Long>> filters() {
    return List.of(
        Woodbird.bloom(Keys.longs(), 1000).fpp(0.01).build(),
        Woodbird.bloom(Keys.longs(), 1000).fpp(0.001).build(),
        Woodbird.bloom(Keys.longs(), 1000).fpp(0.00001).build(),
        Woodbird.bloom(Keys.longs(), 1000).classic().build(),
        Woodbird.deletable(Keys.longs(), 1000).build(),
        Woodbird.deletable(Keys.longs(), 1000).counting().build(),
        Woodbird.growing(Keys.longs()).build(),
        Woodbird.window(Keys.longs(), 1000).build(),
        Woodbird.window(Keys.longs(), 1000, Duration.ofDays(1)).build());
  }

  @ParameterizedTest
  @MethodSource("filters")
  void aPutIsSeenByALoopOfQuestions(MutableFilter<Long> filter) throws InterruptedException {
    Thread poller =
        new Thread(
            () -> {
              while (!filter.mightContainLong(42)) {
                // Nothing here that would make the compiler read memory again.
              }
            });
    poller.setDaemon(true);
    poller.start();
    poller.join(COMPILED_MILLIS);
    assertThat(poller.isAlive()).isTrue();
    filter.putLong(42);
    poller.join(FAILED_MILLIS);
    assertThat(poller.isAlive()).isFalse();
  }
}
