package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Builds, swaps, roll backs, and what becomes of keys put around them. */
final class GenerationsTest {
  private static final long ROWS = 1000;

  private final ManualScheduler scheduler = new ManualScheduler();
  private final TestSource source = TestSource.of(0, ROWS);
  private final List<RebuildEvent> events = new CopyOnWriteArrayList<>();
  private final RebuildingFilterBuilder<Long> builder =
      RebuildingFilter.of(Keys.longs(), source)
          .scheduler(scheduler)
          .fpp(1e-6)
          .expectedKeys(ROWS)
          .seed(6)
          .onEvent(events::add);
  private RebuildingFilter<Long> filter;

  @AfterEach
  void close() {
    source.release.countDown();
    filter.close();
  }

  private void startBuilt() throws Exception {
    filter = builder.start();
    join();
    assertThat(filter.generation()).isPresent();
  }

  private void join() throws InterruptedException {
    scheduler.build(scheduler.builds()).join();
  }

  private Generation rebuild() throws Exception {
    return filter.rebuildNow().get(5, TimeUnit.MINUTES);
  }

  @Test
  void deletedRowsVanishAtTheNextBuild() throws Exception {
    startBuilt();
    source.rows.remove(7L);
    assertThat(filter.mightContainLong(7L)).isTrue();
    rebuild();
    assertThat(filter.mightContainLong(7L)).isFalse();
    assertThat(filter.mightContainLong(8L)).isTrue();
  }

  @Test
  void aKeyPutBeforeABuildAndCommittedAfterItsScanIsCarriedOver() throws Exception {
    startBuilt();
    filter.putLong(ROWS + 1); // Its row is not committed yet.
    assertThat(rebuild().carried()).isEqualTo(1);
    assertThat(rebuild().carried()).isEqualTo(1);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    source.rows.add(ROWS + 1);
    assertThat(rebuild().carried()).isZero();
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
  }

  @Test
  void aKeyWhoseRowNeverCameVanishesWhenItHadItsTime() throws Exception {
    startBuilt();
    filter.putLong(ROWS + 1);
    scheduler.pass(Duration.ofMinutes(10));
    rebuild();
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    scheduler.pass(Duration.ofNanos(1));
    rebuild();
    assertThat(filter.mightContainLong(ROWS + 1)).isFalse();
  }

  @Test
  void aKeyPutWhileABuildRunsIsInBothHoweverLongItRuns() throws Exception {
    startBuilt();
    source.hangAt = 500;
    CompletableFuture<Generation> build = filter.rebuildNow();
    source.hanging.await();
    filter.putLong(ROWS + 1);
    scheduler.pass(Duration.ofMinutes(9));
    filter.putLong(ROWS + 2);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    source.release.countDown();
    build.get(5, TimeUnit.MINUTES);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 2)).isTrue();
    filter.rollBack();
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 2)).isTrue();
  }

  @Test
  void aKeyPutWhileABuildIsRepeatedInALargerFilterIsInIt() throws Exception {
    startBuilt();
    for (long key = ROWS; key < 9 * ROWS; key++) {
      source.rows.add(key);
    }
    source.hangAt = 8 * ROWS;
    CompletableFuture<Generation> build = filter.rebuildNow();
    source.hanging.await();
    filter.putLong(-1L);
    source.release.countDown();
    assertThat(build.get(5, TimeUnit.MINUTES).keys()).isEqualTo(9 * ROWS);
    assertThat(source.opened).isEqualTo(3);
    assertThat(filter.mightContainLong(-1L)).isTrue();
    assertThat(filter.mightContainLong(-2L)).isFalse();
  }

  @Test
  void rollBack_bringsTheGenerationBeforeWithAllKeysPutSince() throws Exception {
    startBuilt();
    assertThat(filter.rollBack()).as("nothing before the first").isEmpty();
    source.rows.remove(7L);
    rebuild();
    filter.putLong(ROWS + 1);
    assertThat(filter.rollBack().orElseThrow().number()).isEqualTo(1);
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(1);
    assertThat(filter.mightContainLong(7L)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.rollBack()).as("only once").isEmpty();
    assertThat(events.get(events.size() - 1).kind()).isEqualTo(RebuildEvent.Kind.ROLLED_BACK);
  }

  @Test
  void rollBack_duringABuildDoesNotDisturbIt() throws Exception {
    startBuilt();
    rebuild();
    source.hangAt = 500;
    CompletableFuture<Generation> third = filter.rebuildNow();
    source.hanging.await();
    filter.putLong(ROWS + 1);
    filter.rollBack();
    filter.putLong(ROWS + 2);
    source.release.countDown();
    third.get(5, TimeUnit.MINUTES);
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(3);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 2)).isTrue();
    filter.rollBack();
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(1);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 2)).isTrue();
  }

  @Test
  void forgetPrevious_leavesNothingToRollBackTo() throws Exception {
    builder.forgetPrevious();
    startBuilt();
    rebuild();
    assertThat(filter.rollBack()).isEmpty();
  }

  @Test
  void theStoreIsToldOfEachGenerationOnceWhenItIsNeededNoMore() throws Exception {
    List<MutableFilter<Long>> begun = new CopyOnWriteArrayList<>();
    List<MutableFilter<Long>> discarded = new CopyOnWriteArrayList<>();
    List<Long> published = new CopyOnWriteArrayList<>();
    builder.store(
        new GenerationStore<>() {
          @Override
          public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
            MutableFilter<Long> made = GenerationStore.<Long>memory().begin(plan);
            begun.add(made);
            return made;
          }

          @Override
          public void publish(MutableFilter<Long> made, Generation generation) throws IOException {
            if (generation.number() == 4) {
              throw new IOException("another process was first");
            }
            published.add(generation.number());
          }

          @Override
          public void discard(MutableFilter<Long> made) {
            discarded.add(made);
          }
        });
    startBuilt();
    rebuild();
    assertThat(discarded).isEmpty();
    rebuild();
    assertThat(discarded).containsExactly(begun.get(0));
    assertThat(filter.rebuildNow().handle((done, failure) -> failure).get(5, TimeUnit.MINUTES))
        .hasMessageContaining("another process was first");
    assertThat(discarded).containsExactly(begun.get(0), begun.get(3));
    filter.rollBack();
    assertThat(discarded).containsExactly(begun.get(0), begun.get(3), begun.get(2));
    filter.close();
    assertThat(discarded).containsExactly(begun.get(0), begun.get(3), begun.get(2), begun.get(1));
    assertThat(published).containsExactly(1L, 2L, 3L);
  }

  @Test
  void whatAnEarlierLifeLeftConfirmsKeysAndDeniesNone() throws Exception {
    MutableFilter<Long> left = Woodbird.bloom(Keys.longs(), ROWS).fpp(1e-6).build();
    for (long key = 0; key < ROWS; key++) {
      left.putLong(key);
    }
    builder.store(new Leaving(left));
    source.rows.removeIf(key -> key >= ROWS / 2);
    filter = builder.start();
    join();
    assertThat(events.get(events.size() - 1).kind())
        .as("half of what was there before the restart")
        .isEqualTo(RebuildEvent.Kind.REFUSED);
    assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(ROWS + 1)).isEqualTo(Answer.UNKNOWN);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    filter.rebuildNow(1).get(5, TimeUnit.MINUTES);
    assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(ROWS - 1)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void whatAnEarlierLifeLeftMayBeUnreadable() throws Exception {
    builder.store(new Leaving(null));
    startBuilt();
    assertThat(events.get(0).message()).contains("can't be read").contains("damaged");
    assertThat(filter.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
  }

  /** A store that was there before. */
  private record Leaving(MutableFilter<Long> left) implements GenerationStore<Long> {
    @Override
    public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
      return GenerationStore.<Long>memory().begin(plan);
    }

    @Override
    public Optional<Filter<Long>> restore(KeyHasher<Long> keys) throws IOException {
      if (left == null) {
        throw new IOException("damaged");
      }
      return Optional.of(left);
    }
  }

  @Test
  void aStoreThatFailsToDiscardDoesNotUndoASwap() throws Exception {
    builder.store(
        new GenerationStore<>() {
          @Override
          public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
            assertThat(plan.seed()).isEqualTo(6);
            return GenerationStore.<Long>memory().begin(plan);
          }

          @Override
          public void discard(MutableFilter<Long> made) {
            throw new IllegalStateException("the store is away");
          }
        });
    startBuilt();
    rebuild();
    assertThat(rebuild().number()).isEqualTo(3);
    assertThat(filter.rollBack()).isPresent();
    assertThat(filter.mightContainLong(1L)).isTrue();
    assertThat(filter.mightContainLong(-1L)).isFalse();
  }

  @Test
  void aStoreMayFixTheSeed() throws Exception {
    GenerationStore<Long> shared =
        new GenerationStore<>() {
          @Override
          public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
            return GenerationStore.<Long>memory().begin(plan);
          }

          @Override
          public OptionalLong seed() {
            return OptionalLong.of(77);
          }
        };
    filter = RebuildingFilter.of(Keys.longs(), source).store(shared).build();
    assertThat(filter.hashOfLong(5L)).isEqualTo(Keys.longs().hash(5L, 77));
  }

  @Test
  void whoAsksForABuildWithDifferentIdeasGetsTheStricter() throws Exception {
    startBuilt();
    source.rows.removeIf(key -> key >= 500);
    source.hangAt = 100;
    CompletableFuture<Generation> running = filter.rebuildNow(0);
    source.hanging.await();
    CompletableFuture<Generation> lax = filter.rebuildNow(3);
    CompletableFuture<Generation> strict = filter.rebuildNow(501);
    CompletableFuture<Generation> laxAgain = filter.rebuildNow(0);
    source.hangAt = -1;
    source.release.countDown();
    assertThat(running.get(5, TimeUnit.MINUTES).keys()).isEqualTo(500);
    for (CompletableFuture<Generation> build : List.of(lax, strict, laxAgain)) {
      assertThat(build.handle((done, failure) -> failure).get(5, TimeUnit.MINUTES))
          .hasMessageContaining("501 were asked for");
    }
  }

  @Test
  void putAllAsync_countsNewKeys_andAsksForABuildWhenThereIsNoRoomLeft() throws Exception {
    builder.headroom(1);
    startBuilt();
    assertThat(filter.putAllAsync(List.of(1L, ROWS, ROWS + 1)).get(5, TimeUnit.MINUTES))
        .isEqualTo(2);
    join();
    assertThat(scheduler.builds()).isEqualTo(2);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
  }

  @Test
  void withoutASeed_eachFilterHasItsOwn() {
    filter = RebuildingFilter.of(Keys.longs(), source).build();
    try (RebuildingFilter<Long> other = RebuildingFilter.of(Keys.longs(), source).build()) {
      assertThat(filter.hashOfLong(5L)).isNotEqualTo(other.hashOfLong(5L));
    }
  }

  @Test
  void floor_isAShareFrom0To1() throws Exception {
    builder.floor(0).floor(1);
    for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> builder.floor(share))
          .withMessage("floor must be from 0 to 1: " + share);
    }
    startBuilt();
  }

  @Test
  void withoutHeadroomNotEachNewKeyAsksForABuild() throws Exception {
    builder.headroom(1);
    startBuilt();
    for (long key = ROWS; key < ROWS + 200; key++) {
      filter.putLong(key);
      source.rows.add(key);
      join();
    }
    assertThat(scheduler.builds()).isEqualTo(2);
    assertThat(filter.generation().orElseThrow().capacity()).isEqualTo(1001 + 1001 / 4);
  }

  @Test
  void every_buildsAgainAndAgainAndAFailureIsRetriedSooner() throws Exception {
    builder.every(Duration.ofHours(1)).retryAfter(Duration.ofMinutes(2));
    startBuilt();
    for (int build = 2; build <= 5; build++) {
      scheduler.pass(Duration.ofHours(1));
      assertThat(scheduler.builds()).isEqualTo(build);
      join();
    }
    source.throwAtOnce = true;
    scheduler.pass(Duration.ofHours(1));
    join();
    scheduler.pass(Duration.ofMinutes(2));
    assertThat(scheduler.builds()).isEqualTo(7);
    join();
    rebuildFails();
    assertThat(scheduler.waiting())
        .as("one that was asked for replaces the scheduled one")
        .isEqualTo(1);
  }

  private void rebuildFails() throws Exception {
    assertThat(filter.rebuildNow().handle((done, failure) -> failure).get(5, TimeUnit.MINUTES))
        .isNotNull();
  }

  @Test
  void aSupplierOfPausesThatThrowsDoesNotEndTheBuilds() throws Exception {
    builder.every(
        () -> {
          throw new IllegalStateException("no idea when");
        });
    startBuilt();
    scheduler.pass(Duration.ofMinutes(1));
    assertThat(scheduler.builds()).isEqualTo(2);
    join();
  }

  @Test
  void aListenerThatThrowsStopsNeitherBuildNorPut() throws Exception {
    builder
        .headroom(1)
        .onEvent(
            event -> {
              throw new IllegalStateException("the listener's fault");
            });
    startBuilt();
    assertThat(filter.putLong(ROWS + 1)).isTrue();
    join();
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(2);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
  }
}
