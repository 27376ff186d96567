package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;

/** What tests of builds share: a source that can be made to fail, and time that stands still. */
abstract class RebuildTests {
  static final long ROWS = 1000;

  final ManualScheduler scheduler = new ManualScheduler();
  final TestSource source = TestSource.of(0, ROWS);
  final List<RebuildEvent> events = new CopyOnWriteArrayList<>();
  RebuildingFilter<Long> filter;

  @AfterEach
  void close() {
    source.release.countDown();
    if (filter != null) {
      filter.close();
    }
  }

  RebuildingFilterBuilder<Long> builder() {
    return RebuildingFilter.of(Keys.longs(), source)
        .scheduler(scheduler)
        .fpp(1e-6)
        .expectedKeys(ROWS)
        .seed(5)
        .onEvent(events::add);
  }

  Generation rebuild() throws Exception {
    return filter.rebuildNow().get(5, TimeUnit.MINUTES);
  }

  void joinBuild(int number) throws InterruptedException {
    scheduler.build(number).join(TimeUnit.MINUTES.toMillis(5));
    assertThat(scheduler.build(number).isAlive()).isFalse();
  }

  static Throwable failureOf(CompletableFuture<?> future) throws Exception {
    Throwable failed = future.handle((done, failure) -> failure).get(5, TimeUnit.MINUTES);
    return failed instanceof CompletionException wrapped ? wrapped.getCause() : failed;
  }

  void assertNoRealKeyStopped() {
    for (long key = 0; key < ROWS; key++) {
      assertThat(filter.ask(key)).as("key %d", key).isNotEqualTo(Answer.NOT_HERE);
      assertThat(filter.mightContainLong(key)).isTrue();
    }
  }

  /** Every row is maybe here, and what is no row is not here (at fpp 1e-6). */
  void assertAnswersWell() {
    assertNoRealKeyStopped();
    for (long key = ROWS; key < 2 * ROWS; key++) {
      assertThat(filter.ask(key)).isEqualTo(Answer.NOT_HERE);
    }
  }
}
