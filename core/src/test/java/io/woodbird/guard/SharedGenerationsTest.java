package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a filter does over a shared store that behaves oddly. */
final class SharedGenerationsTest {
  private final ManualScheduler scheduler = new ManualScheduler();
  private final TestSource source = TestSource.of(0, 100);
  private final FakeShared shared = new FakeShared(FakeShared.SEED);
  private RebuildingFilter<Long> filter;

  @AfterEach
  void close() {
    filter.close();
  }

  private RebuildingFilterBuilder<Long> builder() {
    return RebuildingFilter.of(Keys.longs(), source)
        .scheduler(scheduler)
        .expectedKeys(100)
        .store(shared);
  }

  @Test
  void closeDoesNotWaitForAStoreThatHangsWhileItIsOpened() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    shared.held = latch;
    filter = builder().build();
    CompletableFuture<Generation> build = filter.rebuildNow();
    shared.opening.await();
    filter.close();
    assertThat(filter.ask(1L)).isEqualTo(Answer.UNKNOWN);
    assertThat(shared.closed).isFalse();
    latch.countDown();
    assertThat(build.handle((done, failure) -> failure).get(5, TimeUnit.MINUTES)).isNotNull();
    assertThat(shared.closed).as("closed by whoever opened it").isTrue();
    assertThatIllegalStateException().isThrownBy(() -> filter.put(1L));
  }

  @Test
  void aFilterWithAnotherSeedThanPlannedDeniesNothing() throws Exception {
    FakeShared other = new FakeShared(FakeShared.SEED + 1);
    filter = builder().store(other).build();
    filter.put(7L);
    other.built(0);
    assertThat(filter.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.ask(8L)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.mightContain(7L)).isTrue();
    assertThat(filter.doubts())
        .containsExactly("the store made a filter with other hashes than planned");
  }

  @Test
  void aGenerationOfAnotherProcessMayBeAgesOld() throws Exception {
    shared.built(100);
    shared.age = Duration.ofSeconds(Long.MAX_VALUE);
    filter = builder().every(Duration.ofSeconds(Long.MAX_VALUE)).build();
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).number()).isEqualTo(3);
    shared.age = Duration.ofSeconds(Long.MIN_VALUE); // A clock that went back.
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).number()).isEqualTo(4);
  }

  @Test
  void aBuildThatIsOverdueIsNotTriedAgainAtOnce() throws Exception {
    shared.age = Duration.ofDays(1);
    filter = builder().every(Duration.ofSeconds(30)).retryAfter(Duration.ofSeconds(5)).build();
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    scheduler.build(1).join();
    source.throwAtOnce = true;
    scheduler.pass(Duration.ofSeconds(30)); // Exactly: the build fails at the same moment.
    scheduler.build(2).join();
    scheduler.pass(Duration.ofSeconds(4));
    assertThat(scheduler.builds()).isEqualTo(2);
    scheduler.pass(Duration.ofSeconds(1));
    assertThat(scheduler.builds()).isEqualTo(3);
    scheduler.build(3).join();
  }

  @Test
  void aScheduleThatThrowsDoesNotEndTheBuilds() throws Exception {
    shared.built(100);
    shared.age = Duration.ofDays(1);
    filter =
        builder()
            .every(
                () -> {
                  throw new IllegalStateException("no idea when");
                })
            .build();
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).number()).isEqualTo(3);
  }
}
