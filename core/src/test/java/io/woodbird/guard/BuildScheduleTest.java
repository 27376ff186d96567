package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.MutableFilter;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Extreme settings, callbacks that throw, threads that are not to be had, sources that hang. */
@Tag("compiled")
final class BuildScheduleTest extends RebuildTests {
  private static final List<Duration> AGES =
      List.of(Duration.ofDays(365_000), Duration.ofSeconds(Long.MAX_VALUE));

  @Test
  void everyTimeMayBeAgesLong() throws Exception {
    for (Duration ages : AGES) {
      try (RebuildingFilter<Long> aged =
          RebuildingFilter.of(Keys.longs(), source) // By the real clock.
              .every(ages)
              .retryAfter(ages)
              .settle(ages)
              .patience(ages)
              .expectedKeys(ROWS)
              .build()) {
        aged.put(ROWS + 1);
        source.opened = 0;
        aged.rebuildNow().get(5, TimeUnit.MINUTES);
        aged.put(ROWS + 2);
        aged.rebuildNow().get(5, TimeUnit.MINUTES);
        assertThat(source.opened).as("builds").isEqualTo(2);
        assertThat(aged.mightContain(ROWS + 1)).isTrue();
        assertThat(aged.mightContain(ROWS + 2)).isTrue();
      }
    }
  }

  @Test
  void aPauseOfAgesMeansNoBuildAndOneBelowZeroMeansAtOnce() throws Exception {
    AtomicInteger number = new AtomicInteger();
    filter =
        builder()
            .every(
                () ->
                    number.getAndIncrement() == 0
                        ? Duration.ofSeconds(Long.MIN_VALUE)
                        : Duration.ofSeconds(Long.MAX_VALUE))
            .build();
    rebuild();
    scheduler.pass(Duration.ZERO);
    assertThat(scheduler.builds()).isEqualTo(2);
    scheduler.build(2).join();
    scheduler.pass(Duration.ofDays(36_000));
    assertThat(scheduler.builds()).isEqualTo(2);
  }

  @Test
  void aScheduleThatThrowsAnErrorIsAskedAgainLater() throws Exception {
    filter =
        builder()
            .every(
                () -> {
                  throw new NoClassDefFoundError("a calendar");
                })
            .build();
    rebuild();
    scheduler.pass(Duration.ofMinutes(1));
    assertThat(scheduler.builds()).isEqualTo(2);
    scheduler.build(2).join();
  }

  @Test
  void aScheduleThatHangsStopsNeitherPutsNorClose() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    filter =
        builder()
            .every(
                () -> {
                  asked.countDown();
                  return uninterrupted(end);
                })
            .start();
    asked.await();
    assertThat(filter.mightContain(1L)).isTrue();
    assertThat(filter.put(ROWS + 1)).isTrue();
    filter.close();
    end.countDown();
    scheduler.build(1).join();
  }

  private static Duration uninterrupted(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return Duration.ofHours(1);
      } catch (InterruptedException e) {
        // Stubborn.
      }
    }
  }

  @Test
  void aListenerThatThrowsAnErrorLeavesNobodyWaiting() throws Exception {
    filter =
        builder()
            .onEvent(
                event -> {
                  throw new AssertionError("the listener's fault");
                })
            .build();
    assertThat(rebuild().keys()).isEqualTo(ROWS);
    source.throwAtOnce = true;
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("the database is away");
  }

  @Test
  void aHandlerOfUncaughtExceptionsThatThrowsLeavesNobodyWaiting() throws Exception {
    filter =
        builder()
            .onEvent(
                event -> {
                  Thread.currentThread()
                      .setUncaughtExceptionHandler(
                          (thread, e) -> {
                            throw new IllegalStateException("and the handler's");
                          });
                  throw new IllegalStateException("the listener's fault");
                })
            .build();
    assertThat(rebuild().keys()).isEqualTo(ROWS);
  }

  @Test
  void aListenerIsNotInterruptedByWhatEndedItsBuild() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean();
    filter =
        builder()
            .onEvent(
                event -> interrupted.compareAndSet(false, Thread.currentThread().isInterrupted()))
            .build();
    source.interruptAt = 500;
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("interrupted");
    assertThat(interrupted).isFalse();
  }

  @Test
  void aStoreIsNotInterruptedWhenItMustDiscard() throws Exception {
    AtomicBoolean interrupted = new AtomicBoolean(true);
    filter =
        builder()
            .store(
                new GenerationStore<>() {
                  @Override
                  public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
                    return GenerationStore.<Long>memory().begin(plan);
                  }

                  @Override
                  public void discard(MutableFilter<Long> made) {
                    interrupted.set(Thread.currentThread().isInterrupted());
                    throw new AssertionError("the store's fault");
                  }
                })
            .build();
    source.interruptAt = 500;
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("interrupted");
    assertThat(interrupted).isFalse();
  }

  /** A scheduler that has no threads for a while. */
  private static final class Exhausted implements Scheduler {
    private final ManualScheduler inner;
    volatile boolean noBuilds;
    volatile boolean noTimer;

    Exhausted(ManualScheduler inner) {
      this.inner = inner;
    }

    @Override
    public long nanoTime() {
      return inner.nanoTime();
    }

    @Override
    public Instant now() {
      return inner.now();
    }

    @Override
    public void sleep(long nanos) throws InterruptedException {
      inner.sleep(nanos);
    }

    @Override
    public Ticket after(long nanos, Runnable task) {
      if (noTimer) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return inner.after(nanos, task);
    }

    @Override
    public Thread start(String name, Runnable task) {
      if (noBuilds) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return inner.start(name, task);
    }

    @Override
    public void close() {
      inner.close();
    }
  }

  @Test
  void withoutThreadsABuildFailsAndNobodyWaits() throws Exception {
    Exhausted exhausted = new Exhausted(scheduler);
    filter = builder().scheduler(exhausted).build();
    rebuild();
    exhausted.noBuilds = true;
    exhausted.noTimer = true;
    assertThat(failureOf(filter.rebuildNow())).isInstanceOf(OutOfMemoryError.class);
    exhausted.noBuilds = false; // There is one for a build, but still none for the timer.
    assertThat(rebuild().keys()).isEqualTo(ROWS);
    exhausted.noTimer = false;
    exhausted.noBuilds = true;
    assertThat(failureOf(filter.rebuildNow())).isInstanceOf(OutOfMemoryError.class);
    exhausted.noBuilds = false;
    int before = scheduler.builds();
    scheduler.pass(Duration.ofMinutes(1));
    assertThat(scheduler.builds()).as("tried again").isEqualTo(before + 1);
    scheduler.build(before + 1).join();
    assertThat(filter.mightContain(1L)).isTrue();
    assertThat(filter.mightContain(-1L)).isFalse();
  }

  @Test
  void withoutThreadsABuildThatWaitedForAnotherFailsToo() throws Exception {
    Exhausted exhausted = new Exhausted(scheduler);
    filter = builder().scheduler(exhausted).build();
    source.hangAt = 10;
    CompletableFuture<Generation> first = filter.rebuildNow();
    source.hanging.await();
    CompletableFuture<Generation> second = filter.rebuildNow();
    exhausted.noBuilds = true;
    source.release.countDown();
    assertThat(first.get(5, TimeUnit.MINUTES).keys()).isEqualTo(ROWS);
    assertThat(failureOf(second)).isInstanceOf(OutOfMemoryError.class);
  }

  @Test
  void whileASourceHangsOnlyThePutsOfSettleAreRemembered() throws Exception {
    filter = builder().settle(Duration.ofSeconds(1)).patience(Duration.ofDays(100)).build();
    rebuild();
    source.hangAt = 500;
    CompletableFuture<Generation> hung = filter.rebuildNow();
    source.hanging.await();
    OwnGenerations<Long> own = (OwnGenerations<Long>) filter.generations();
    long[] hashes = new long[RecentPuts.MOST / 16];
    // 20 sixteenths are a quarter more than all that could be remembered. If nothing were
    // forgotten,
    // the fifth would be too many here, and the seventeenth in the second loop.
    for (int i = 0; i < 20; i++) {
      filter.putHashes(hashes, hashes.length);
      scheduler.pass(Duration.ofMillis(400));
      assertThat(own.remembered()).isLessThanOrEqualTo(4L * hashes.length);
    }
    for (int i = 0; i < 20; i++) { // Without any time between them.
      filter.putHashes(hashes, hashes.length);
      assertThat(own.remembered()).isLessThanOrEqualTo(RecentPuts.MOST);
    }
    source.release.countDown();
    assertThat(hung.get(5, TimeUnit.MINUTES).keys()).isEqualTo(ROWS);
  }

  @Test
  void whereMoreIsPutThanRememberedABuildWaitsUntilItIsVisible() throws Exception {
    filter = builder().recentPuts(RecentPuts.CHUNKS).build();
    rebuild();
    filter.put(-7L); // Its row is not committed yet.
    for (long key = 0; key < 2 * RecentPuts.CHUNKS; key++) {
      filter.put(key % ROWS);
    }
    int opened = source.opened;
    CompletableFuture<Generation> waiting = filter.rebuildNow();
    while (events.size() < 3) {
      Thread.sleep(1); // Until it has begun.
    }
    scheduler.pass(Duration.ofMinutes(9));
    filter.put(-8L);
    assertThat(source.opened).isEqualTo(opened);
    assertThat(waiting).isNotDone();
    source.rows.add(-7L);
    scheduler.pass(Duration.ofMinutes(2));
    assertThat(waiting.get(5, TimeUnit.MINUTES).keys()).isEqualTo(ROWS + 1);
    assertThat(filter.mightContain(-7L)).isTrue();
    assertThat(filter.mightContain(-8L)).isTrue();
    assertThat(events)
        .anySatisfy(
            event -> {
              assertThat(event.kind()).isEqualTo(RebuildEvent.Kind.STARTED);
              assertThat(event.message()).contains("more keys were put").endsWith("in PT10M");
            });
  }

  @Test
  void aBuildThatWaitsEndsWithTheFilter() throws Exception {
    filter = builder().recentPuts(RecentPuts.CHUNKS).build();
    filter.putHashes(new long[2 * RecentPuts.CHUNKS], 2 * RecentPuts.CHUNKS);
    CompletableFuture<Generation> waiting = filter.rebuildNow();
    filter.close();
    assertThat(failureOf(waiting)).isNotNull();
    scheduler.build(1).join();
    assertThat(source.opened).isZero();
  }

  @Test
  void whereMoreIsPutThanRememberedABuildDoesNotWaitForAges() throws Exception {
    filter = builder().settle(AGES.get(0)).recentPuts(RecentPuts.CHUNKS).build();
    rebuild();
    filter.putHashes(new long[2 * RecentPuts.CHUNKS], 2 * RecentPuts.CHUNKS);
    assertThat(failureOf(filter.rebuildNow()))
        .hasMessageContaining("more than 1,024 keys were put within settle, PT876000H");
    assertThat(filter.mightContain(1L)).as("the old generation answers").isTrue();
    assertThat(filter.mightContain(-1L)).isFalse();
  }
}
