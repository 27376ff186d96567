package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
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

  /** The caller may hold a transaction open. */
  @Test
  void put_doesNotWaitForEverForAStoreThatHangsWhileItIsOpened() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    shared.held = latch;
    filter = builder().build();
    CompletableFuture<Generation> build = filter.rebuildNow();
    shared.opening.await();
    assertThatThrownBy(() -> filter.put(1L))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("nothing was put: the store is not open yet");
    latch.countDown();
    build.get(5, TimeUnit.MINUTES);
    assertThat(filter.put(1000L)).isTrue();
  }

  /** One thread opens the store for all puts that come meanwhile, and no caller waits for it. */
  @Test
  void putAllAsync_doesNotWaitForAStoreThatHangsWhileItIsOpened() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    shared.held = latch;
    filter = builder().build();
    CompletableFuture<Long> one = filter.putAllAsync(List.of(1L));
    CompletableFuture<Long> two = filter.putAllAsync(List.of(2L, 3L));
    shared.opening.await();
    assertThat(scheduler.builds()).as("threads").isEqualTo(1);
    assertThat(one).isNotDone();
    assertThat(two).isNotDone();
    latch.countDown();
    assertThat(one.get(5, TimeUnit.MINUTES)).isEqualTo(1);
    assertThat(two.get(5, TimeUnit.MINUTES)).isEqualTo(2);
    assertThat(filter.candidates(List.of(1L, 2L, 3L, 4L))).containsExactly(1L, 2L, 3L);
    assertThat(filter.putAllAsync(List.of(3L, 4L))).isCompletedWithValue(1L);
    filter.close();
    assertThat(filter.putAllAsync(List.of(5L)).handle((done, failure) -> failure))
        .succeedsWithin(Duration.ofMinutes(5))
        .isNotNull();
  }

  /** As when the client of a store stops and another one starts. */
  @Test
  void aFilterThatItsStoreHasClosed_isOpenedAgainByTheNextPutOrBuild() throws Exception {
    filter = builder().build();
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    shared.close();
    filter.put(500L);
    assertThat(shared.closed).isFalse();
    shared.close();
    assertThat(filter.putAllAsync(List.of(501L))).succeedsWithin(Duration.ofMinutes(5));
    assertThat(shared.closed).isFalse();
    shared.close();
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    assertThat(shared.closed).isFalse();
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
  void aBuildThatTheSourceOutgrows_isRepeatedWithRoomForWhatWasRead() throws Exception {
    for (long key = 0; key < 1000; key++) {
      source.rows.add(key);
    }
    List<String> started = new CopyOnWriteArrayList<>();
    filter = builder().onEvent(event -> started.add(event.kind() + " " + event.message())).build();
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).keys()).isEqualTo(1000);
    assertThat(started.subList(0, 2))
        .containsExactly("STARTED room for 150 keys", "STARTED room for 1,500 keys");
  }

  @Test
  void aSourceThatJustFits_isReadOnce() throws Exception {
    for (long key = 100; key < 150; key++) {
      source.rows.add(key);
    }
    List<RebuildEvent.Kind> told = new CopyOnWriteArrayList<>();
    filter = builder().onEvent(event -> told.add(event.kind())).build();
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).keys()).isEqualTo(150);
    scheduler.build(1).join();
    assertThat(source.opened).isEqualTo(1);
    assertThat(told).containsExactly(RebuildEvent.Kind.STARTED, RebuildEvent.Kind.BUILT);
  }

  @Test
  void oneKeyMoreThanThereIsRoomFor_isTold_andAnswersWithABuild() throws Exception {
    List<RebuildEvent.Kind> told = new CopyOnWriteArrayList<>();
    filter =
        builder().settle(Duration.ofSeconds(7)).onEvent(event -> told.add(event.kind())).build();
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    scheduler.build(1).join();
    told.clear();
    shared.built(9_999);
    filter.put(1000L);
    assertThat(told).as("as many as there is room for").isEmpty();
    filter.put(1000L);
    assertThat(told).as("not new").isEmpty();
    filter.put(1001L);
    assertThat(told.get(0)).isEqualTo(RebuildEvent.Kind.OVERFULL);
    scheduler.build(2).join();
    assertThat(shared.settle).isEqualTo(Duration.ofSeconds(7));
    filter.put(1002L);
    assertThat(told.stream().filter(RebuildEvent.Kind.OVERFULL::equals)).hasSize(1);
  }

  /** There is no file of an earlier life to compare the source with. */
  @Test
  void beforeTheFirstBuildEnds_aLookUpDeniesNothing() throws Exception {
    for (long key = 0; key < 5000; key++) {
      source.rows.add(key);
    }
    source.hangAt = 4000;
    filter = builder().expectedKeys(10_000).build();
    try (FollowingFilter<Long> following =
        FollowingFilter.over(filter, new FollowingTests.Rows())
            .patience(FollowingTests.LONG)
            .start()) {
      CompletableFuture<Generation> build = filter.rebuildNow();
      source.hanging.await();
      while (following.confirmations() == 0) {
        Thread.onSpinWait();
      }
      assertThat(following.ask(-1L)).isEqualTo(Answer.UNKNOWN);
      source.release.countDown();
      build.get(5, TimeUnit.MINUTES);
      assertThat(following.ask(-1L)).isEqualTo(Answer.NOT_HERE);
    }
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
