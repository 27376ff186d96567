package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** After an audit found a real key denied: from when on the filter is believed again. */
final class DistrustTest {
  private static final long ROWS = 1000;
  private static final long FOREIGN = ROWS + 1; // Written by somebody who puts nothing.
  private static final String DISTRUSTED = "an audit found a wrong answer";

  private final ManualScheduler scheduler = new ManualScheduler();
  private final TestSource source = TestSource.of(0, ROWS);
  private final AtomicInteger audits = new AtomicInteger(1); // The first denial is audited.
  private RebuildingFilter<Long> filter;
  private Guard<Long, String> guard;

  @AfterEach
  void close() {
    source.release.countDown();
    filter.close();
  }

  private RebuildingFilterBuilder<Long> builder() {
    return RebuildingFilter.of(Keys.longs(), source)
        .scheduler(scheduler)
        .fpp(1e-7)
        .expectedKeys(ROWS)
        .every(Duration.ofHours(1));
  }

  private void start(RebuildingFilterBuilder<Long> builder) throws Exception {
    filter = builder.build();
    guard =
        Guard.over(filter)
            .audit(0.5)
            .draw(() -> audits.getAndDecrement() > 0 ? 0 : 1)
            .onWrong(
                key -> {
                  throw new AssertionError("the listener's fault");
                })
            .loader(key -> source.rows.contains(key) ? Optional.of("row") : Optional.empty());
    rebuild();
  }

  private void rebuild() throws Exception {
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
  }

  private void findWrongAnswer() {
    source.rows.add(FOREIGN);
    assertThat(guard.get(FOREIGN)).as("the value, whatever the listener throws").isPresent();
    assertThat(guard.stats().wrong()).isEqualTo(1);
    assertThat(filter.mightContain(FOREIGN)).as("healed").isTrue();
  }

  private boolean isBelieved() {
    long before = guard.stats().stopped();
    Map<String, Long> reasons = guard.stats().unknownReasons();
    assertThat(guard.get(-1L)).isEmpty();
    boolean stopped = guard.stats().stopped() == before + 1;
    if (!stopped) {
      assertThat(guard.stats().unknownReasons().get(DISTRUSTED))
          .isEqualTo(reasons.getOrDefault(DISTRUSTED, 0L) + 1);
    }
    return stopped;
  }

  @Test
  void itIsBelievedFromTheNextBuildOn() throws Exception {
    audits.set(0);
    start(builder());
    assertThat(isBelieved()).isTrue();
    audits.set(1);
    findWrongAnswer();
    assertThat(isBelieved()).isFalse();
    rebuild();
    assertThat(isBelieved()).isTrue();
  }

  @Test
  void aBuildThatFailsChangesNothing() throws Exception {
    start(builder());
    findWrongAnswer();
    source.throwAtOnce = true;
    assertThat(filter.rebuildNow().handle((done, e) -> e).get(5, TimeUnit.MINUTES)).isNotNull();
    assertThat(isBelieved()).isFalse();
  }

  @Test
  void aBuildThatHadBegunBeforeIsNotEnough() throws Exception {
    start(builder());
    source.hangAt = 10;
    CompletableFuture<Generation> running = filter.rebuildNow();
    source.hanging.await(); // It has read its snapshot.
    findWrongAnswer();
    source.hangAt = -1;
    source.release.countDown();
    running.get(5, TimeUnit.MINUTES);
    assertThat(isBelieved()).isFalse();
    rebuild();
    assertThat(isBelieved()).isTrue();
  }

  @Test
  void aRollBackToWhatWasWrongIsNotBelieved() throws Exception {
    start(builder());
    findWrongAnswer();
    rebuild();
    assertThat(isBelieved()).isTrue();
    filter.rollBack();
    assertThat(isBelieved()).isFalse();
    rebuild();
    assertThat(isBelieved()).isTrue();
  }

  @Test
  void somebodyWhoKnowsBetterMayTrustIt() throws Exception {
    start(builder());
    findWrongAnswer();
    guard.admission().trust();
    assertThat(isBelieved()).isTrue();
    guard.admission().distrust();
    assertThat(isBelieved()).isFalse();
  }

  @Test
  void ofASharedFilterOnlyAnOwnBuildIsEnoughAndTheScheduleMakesOne() throws Exception {
    FakeShared shared = new FakeShared(FakeShared.SEED);
    start(builder().store(shared));
    findWrongAnswer();
    assertThat(isBelieved()).isFalse();
    shared.built(ROWS); // Another process: who knows when it began to read.
    assertThat(isBelieved()).isFalse();
    scheduler.pass(Duration.ofHours(1)); // That one is young, and yet not taken.
    scheduler.build(2).join();
    assertThat(isBelieved()).isTrue();
    shared.built(ROWS); // Began after the own one.
    assertThat(isBelieved()).isTrue();
    shared.rollBack();
    assertThat(isBelieved()).isTrue();
    shared.generation = null;
    assertThat(filter.generation()).isEmpty();
  }
}
