package io.woodbird.filter.bloom;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.BloomBuilder;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A thread that does nothing but ask sees what another thread puts. */
@Tag("jdk")
class AskInALoopTest {
  /** In this time of its processor the loop is compiled for good; then a read could leave it. */
  private static final long COMPILED_NANOS = 300_000_000;

  private static final long HANGS_MILLIS = 60_000;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aKeyIsSeen(boolean classic) throws InterruptedException {
    BloomBuilder<Long> builder = Woodbird.bloom(Keys.longs(), 1000);
    MutableFilter<Long> filter = (classic ? builder.classic() : builder).build();
    long hash = filter.hashOf(42L);
    Thread asks =
        new Thread(
            () -> {
              while (!filter.mightContainHash(hash)) {
                // Nothing else: whatever is here could make the compiler read again.
              }
            });
    asks.setDaemon(true);
    asks.start();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    while (threads.getThreadCpuTime(asks.getId()) < COMPILED_NANOS) {
      Thread.sleep(10);
    }
    filter.putHash(hash);
    asks.join(HANGS_MILLIS);
    assertThat(asks.isAlive()).as("still asking").isFalse();
  }
}
