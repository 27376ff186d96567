package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The fault matrix: whatever fails, no real key is "not here". */
final class RebuildFaultsTest extends RebuildTests {
  private void start() {
    filter = builder().start();
  }

  private void startBuilt() throws Exception {
    start();
    joinBuild(1);
    assertThat(filter.generation()).isPresent();
    assertAnswersWell();
  }

  private void assertEverythingIsUnknown() {
    for (long key = 0; key < 2 * ROWS; key++) {
      assertThat(filter.ask(key)).isEqualTo(Answer.UNKNOWN);
      assertThat(filter.mightContainLong(key)).isTrue();
      assertThat(filter.mightContain((Long) key)).isTrue();
      assertThat(filter.mightContainHash(key)).isTrue();
    }
    List<Long> asked = List.of(1L, ROWS + 1, ROWS + 2);
    assertThat(filter.candidates(asked)).isEqualTo(asked);
    int[] selected = new int[3];
    assertThat(filter.candidates(new long[] {7, 8, 9}, 3, selected)).isEqualTo(3);
    assertThat(selected).containsExactly(0, 1, 2);
  }

  private List<RebuildEvent.Kind> kinds() {
    return events.stream().map(RebuildEvent::kind).toList();
  }

  private RebuildEvent last() {
    return events.get(events.size() - 1);
  }

  @Test
  void notBuilt_everythingIsUnknownAndPutsAreKept() throws Exception {
    source.hangAt = 0;
    start();
    source.hanging.await();
    assertEverythingIsUnknown();
    assertThat(filter.putLong(ROWS + 5)).as("certainly new, before anything is known").isFalse();
    assertThat(filter.stats().doubts()).containsExactly("not built yet");
    assertThat(filter.stats().currentFpp()).isEqualTo(1);
    assertThat(filter.generation()).isEmpty();
    assertThatIllegalStateException().isThrownBy(() -> filter.save(Path.of("never")));
    source.release.countDown();
    joinBuild(1);
    assertNoRealKeyStopped();
    assertThat(filter.ask(ROWS + 5)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(filter.ask(ROWS + 6)).isEqualTo(Answer.NOT_HERE);
    assertThat(filter.putLong(ROWS + 6)).isTrue();
  }

  @Test
  void sourceThrowsAtOnce_atFirstEverythingIsUnknownAndItIsTriedAgain() throws Exception {
    source.throwAtOnce = true;
    start();
    joinBuild(1);
    assertEverythingIsUnknown();
    assertThat(last().kind()).isEqualTo(RebuildEvent.Kind.FAILED);
    assertThat(last().message()).contains("the database is away").contains("nothing is built yet");
    assertThat(filter.stats().doubts().get(0)).contains("the database is away");
    source.throwAtOnce = false;
    scheduler.pass(Duration.ofMinutes(1));
    joinBuild(2);
    assertAnswersWell();
  }

  @Test
  void sourceThrowsAtOnce_laterTheOldGenerationStays() throws Exception {
    startBuilt();
    source.throwAtOnce = true;
    assertThat(failureOf(filter.rebuildNow())).hasMessage("the database is away");
    assertAnswersWell();
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(1);
    assertThat(last().message()).contains("generation 1 still answers");
  }

  @Test
  void sourceThrowsMidway_atWhicheverRowTheOldGenerationStays() throws Exception {
    startBuilt();
    filter.putLong(ROWS + 77);
    for (long row = 0; row <= ROWS; row++) {
      source.throwAt = row;
      assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("at row " + row);
    }
    assertThat(filter.generation().orElseThrow().number()).isEqualTo(1);
    assertThat(source.closed).as("streams closed").isEqualTo(source.opened);
    assertNoRealKeyStopped();
    assertThat(filter.mightContainLong(ROWS + 77)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 78)).isFalse();
  }

  @Test
  void sourceHangs_theOldGenerationAnswersAndPutsGoOn() throws Exception {
    startBuilt();
    source.hangAt = 500;
    CompletableFuture<Generation> hung = filter.rebuildNow();
    source.hanging.await();
    filter.putLong(ROWS + 1);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertThat(filter.mightContainLong(ROWS + 2)).isFalse();
    assertNoRealKeyStopped();
    scheduler.pass(Duration.ofMinutes(30));
    assertThat(failureOf(hung)).hasMessageContaining("interrupted at row 500");
    assertThat(kinds()).contains(RebuildEvent.Kind.STALLED);
    assertThat(filter.mightContainLong(ROWS + 1)).isTrue();
    assertNoRealKeyStopped();
  }

  @Test
  void sourceHangsAndIgnoresInterrupts_itsLateResultIsNotUsedAndNoBuildOverlaps() throws Exception {
    startBuilt();
    source.hangAt = 500;
    source.stubborn = true;
    CompletableFuture<Generation> hung = filter.rebuildNow();
    source.hanging.await();
    scheduler.pass(Duration.ofMinutes(30));
    assertThat(kinds()).contains(RebuildEvent.Kind.STALLED);
    assertThat(hung).isNotDone();
    CompletableFuture<Generation> after = filter.rebuildNow();
    assertThat(scheduler.builds()).as("threads").isEqualTo(2);
    assertAnswersWell();
    source.hangAt = -1;
    source.release.countDown();
    assertThat(failureOf(hung)).hasMessageContaining("gave no key for PT10M");
    assertThat(after.get(5, TimeUnit.MINUTES).number()).isEqualTo(3);
    assertAnswersWell();
  }

  @Test
  void sourceIsSlowButAlive_itIsNotInterrupted() throws Exception {
    startBuilt();
    source.hangAt = 500;
    CompletableFuture<Generation> slow = filter.rebuildNow();
    source.hanging.await();
    scheduler.pass(Duration.ofMinutes(10)); // It gave 500 keys since the start.
    source.release.countDown();
    assertThat(slow.get(5, TimeUnit.MINUTES).number()).isEqualTo(2);
    assertThat(kinds()).doesNotContain(RebuildEvent.Kind.STALLED);
  }

  @Test
  void sourceReturnsNothing_isRefusedAtFirstAndLater() throws Exception {
    source.rows.clear();
    start();
    joinBuild(1);
    assertEverythingIsUnknown();
    assertThat(last().kind()).isEqualTo(RebuildEvent.Kind.REFUSED);
    assertThat(last().message()).contains("gave no key").contains("allowEmpty");
    for (long key = 0; key < ROWS; key++) {
      source.rows.add(key);
    }
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    source.rows.clear();
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("gave no key");
    assertAnswersWell();
    assertThat(filter.rebuildNow(0).get(5, TimeUnit.MINUTES).keys()).isZero();
    assertThat(filter.mightContainLong(1L)).isFalse();
  }

  @Test
  void sourceReturnsNothing_isRightWhenAllowed() throws Exception {
    source.rows.clear();
    filter = builder().allowEmpty().start();
    joinBuild(1);
    assertThat(filter.ask(1L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void sourceGivesTooFew_isRefusedBelowTheFloorAndTakenAtIt() throws Exception {
    startBuilt();
    source.rows.removeIf(key -> key >= 899);
    assertThat(failureOf(filter.rebuildNow()))
        .hasMessageContaining("gave 899 keys, fewer than 0.9 of the last 1,000")
        .hasMessageContaining("rebuildNow(899)");
    assertThat(last().kind()).isEqualTo(RebuildEvent.Kind.REFUSED);
    assertAnswersWell();
    source.rows.add(899L);
    assertThat(filter.rebuildNow().get(5, TimeUnit.MINUTES).keys()).isEqualTo(900);
    assertThat(filter.mightContainLong(900L)).as("a deleted row").isFalse();
    assertThat(failureOf(filter.rebuildNow(901))).hasMessageContaining("901 were asked for");
  }

  @Test
  void rebuildTwiceAtOnce_theSecondFollowsTheFirstAndTheThirdSharesIt() throws Exception {
    source.hangAt = 10;
    start();
    source.hanging.await();
    CompletableFuture<Generation> second = filter.rebuildNow();
    CompletableFuture<Generation> third = filter.rebuildNow(1);
    assertThat(scheduler.builds()).as("threads").isEqualTo(1);
    source.rows.add(ROWS + 3); // After the first has read.
    source.hangAt = -1;
    source.release.countDown();
    assertThat(second.get(5, TimeUnit.MINUTES)).isEqualTo(third.get(5, TimeUnit.MINUTES));
    assertThat(second.join().keys()).isEqualTo(ROWS + 1);
    assertThat(scheduler.builds()).as("threads").isEqualTo(2);
    assertThat(filter.mightContainLong(ROWS + 3)).isTrue();
  }

  @Test
  void filterOutgrown_itIsReportedAndALargerOneIsBuilt() throws Exception {
    startBuilt();
    long capacity = filter.generation().orElseThrow().capacity();
    assertThat(capacity).isEqualTo(ROWS * 3 / 2);
    for (long key = ROWS; key <= capacity; key++) {
      filter.putLong(key);
      source.rows.add(key);
    }
    joinBuild(2);
    assertThat(kinds()).containsOnlyOnce(RebuildEvent.Kind.OVERFULL);
    assertThat(filter.generation().orElseThrow().capacity()).isGreaterThan(2 * ROWS);
    for (long key = 0; key <= capacity; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
    assertThat(filter.stats().overfull()).isFalse();
  }

  @Test
  void sourceOutgrewTheFilter_itIsReadOnceMoreIntoALargerOne() throws Exception {
    for (long key = ROWS; key < 20 * ROWS; key++) {
      source.rows.add(key);
    }
    start();
    joinBuild(1);
    assertThat(source.opened).isEqualTo(2);
    assertThat(filter.generation().orElseThrow().keys()).isEqualTo(20 * ROWS);
    assertThat(filter.generation().orElseThrow().capacity()).isEqualTo(30 * ROWS);
    assertThat(filter.stats().overfull()).isFalse();
    for (long key = 0; key < 20 * ROWS; key++) {
      assertThat(filter.mightContainLong(key)).isTrue();
    }
  }

  @Test
  void interruptedThread_asksAndPutsAsEverAndStaysInterrupted() throws Exception {
    startBuilt();
    Thread.currentThread().interrupt();
    try {
      assertAnswersWell();
      assertThat(filter.putLong(ROWS + 9)).isTrue();
      CompletableFuture<Generation> build = filter.rebuildNow();
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
      Thread.interrupted();
      build.get(5, TimeUnit.MINUTES);
    } finally {
      Thread.interrupted();
    }
    assertThat(filter.mightContainLong(ROWS + 9)).isTrue();
    assertNoRealKeyStopped();
  }

  @Test
  void interruptedBuild_failsAndTheOldGenerationStays() throws Exception {
    startBuilt();
    filter.putLong(ROWS + 8);
    for (long row : new long[] {0, 1, 255, 256, 500, ROWS}) {
      source.interruptAt = row;
      assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("thread was interrupted");
      assertThat(filter.generation().orElseThrow().number()).isEqualTo(1);
    }
    assertNoRealKeyStopped();
    source.interruptAt = -1;
    filter.rebuildNow().get(5, TimeUnit.MINUTES);
    assertThat(filter.mightContainLong(ROWS + 8)).isTrue();
    assertNoRealKeyStopped();
  }

  /** Kotlin and Lombok let any throwable pass. */
  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void throwAny(Throwable e) throws T {
    throw (T) e;
  }

  @Test
  void sourceThrowsWhatIsNoException_theBuildFails_andOthersFollow() throws Exception {
    AtomicBoolean isOdd = new AtomicBoolean(true);
    filter =
        RebuildingFilter.of(
                Keys.longs(),
                () -> {
                  if (isOdd.get()) {
                    RebuildFaultsTest.<RuntimeException>throwAny(new Throwable("odd"));
                  }
                  return source.open();
                })
            .scheduler(scheduler)
            .fpp(1e-6)
            .seed(5)
            .build();
    assertThat(failureOf(filter.rebuildNow())).hasMessage("odd");
    isOdd.set(false);
    rebuild();
    assertAnswersWell();
  }

  /** Its listener, its record and its doubt want to know what failed. */
  @Test
  void aFailureThatCanNotSayWhatItIs_isFollowedByABuild() throws Exception {
    AtomicBoolean isFull = new AtomicBoolean(true);
    filter =
        RebuildingFilter.of(
                Keys.longs(),
                () -> {
                  if (isFull.get()) {
                    throw new Speechless();
                  }
                  return source.open();
                })
            .scheduler(scheduler)
            .fpp(1e-6)
            .seed(5)
            .onEvent(events::add)
            .start();
    joinBuild(1);
    assertThat(last().kind()).isEqualTo(RebuildEvent.Kind.FAILED);
    isFull.set(false);
    scheduler.pass(Duration.ofMinutes(1));
    joinBuild(2);
    assertAnswersWell();
  }

  /** As an OutOfMemoryError, which leaves no memory for a message. */
  private static final class Speechless extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw this;
    }
  }

  @Test
  void clockJumps_changeNothing() throws Exception {
    filter = builder().every(Duration.ofHours(1)).start();
    joinBuild(1);
    for (String wall :
        List.of("2026-03-30T02:00:00Z", "1970-01-01T00:00:00Z", "2038-01-19T03:14:08Z")) {
      scheduler.setWall(Instant.parse(wall));
      assertAnswersWell();
      assertThat(scheduler.waiting()).as("scheduled").isEqualTo(1);
    }
    int before = scheduler.builds();
    scheduler.pass(Duration.ofMinutes(59));
    assertThat(scheduler.builds()).isEqualTo(before);
    scheduler.pass(Duration.ofMinutes(1));
    joinBuild(before + 1);
    assertThat(filter.generation().orElseThrow().builtAt()).isEqualTo("2038-01-19T03:14:08Z");
    assertAnswersWell();
  }

  @Test
  void closed_everythingIsUnknownAndPutsThrow() throws Exception {
    startBuilt();
    source.hangAt = 1;
    source.stubborn = true;
    CompletableFuture<Generation> running = filter.rebuildNow();
    source.hanging.await();
    CompletableFuture<Generation> waiting = filter.rebuildNow();
    filter.close();
    filter.close();
    assertThatIllegalStateException()
        .isThrownBy(() -> filter.putLong(1L))
        .withMessageContaining("closed");
    assertThatIllegalStateException().isThrownBy(() -> filter.putAll(List.of(1L)));
    assertEverythingIsUnknown();
    assertThat(filter.stats().doubts()).containsExactly("closed");
    assertThat(failureOf(waiting)).hasMessageContaining("closed");
    assertThat(failureOf(filter.rebuildNow())).hasMessageContaining("closed");
    assertThat(filter.rollBack()).isEmpty();
    int told = events.size();
    source.release.countDown();
    assertThat(failureOf(running)).hasMessageContaining("closed");
    joinBuild(2);
    assertEverythingIsUnknown();
    assertThat(events).hasSize(told);
  }
}
