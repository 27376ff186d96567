package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** A filter that follows a table which others write: no committed row is denied. */
final class FollowingFilterTest extends FollowingTests {
  @Test
  void aRowIsFound_asSoonAsItsCommitHasReturned() throws InterruptedException {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    assertThat(denied(following, 8, 40)).isZero();
    assertThat(following.ask(-2L)).isEqualTo(Answer.NOT_HERE);
    assertThat(following.candidates(List.of(-3L, 1_000_000L, -4L))).containsExactly(1_000_000L);
    assertThat(following.mightContain(-5L)).isFalse();
    assertThat(following.mightContainHash(following.hashOf(8_000_039L))).isTrue();
  }

  @Test
  void aQuestionAskedDuringACatchUp_waitsForTheNextOne() throws Exception {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    CompletableFuture<CompletableFuture<Answer>> during = new CompletableFuture<>();
    table.afterSnapshot.set(
        () -> {
          table.commit(6L);
          during.complete(following.askAsync(6L));
        });
    assertThat(following.ask(-2L)).isEqualTo(Answer.NOT_HERE);
    assertThat(during.get().get()).isEqualTo(Answer.MAYBE_HERE);
  }

  @Test
  void theThreadThatFollows_endsWithTheFilter() throws InterruptedException {
    FollowingFilter<Long> following = start(builder().name("ending"));
    until(following, Answer.NOT_HERE, -1);
    Thread thread =
        Thread.getAllStackTraces().keySet().stream()
            .filter(any -> any.getName().equals("woodbird-follow-ending"))
            .findAny()
            .orElseThrow();
    following.close();
    thread.join(TimeUnit.MINUTES.toMillis(1));
    assertThat(thread.isAlive()).isFalse();
  }

  /** The control: without the confirmation most rows are denied. */
  @Test
  void withoutConfirmation_rowsAreDenied() throws InterruptedException {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    assertThat(denied(filter, 8, 40)).isPositive();
  }

  @Test
  void questionsShareACatchUp() throws InterruptedException {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    long before = table.catchUps.get();
    long begun = System.nanoTime();
    int threads = 60;
    int each = 10;
    List<Thread> all = new ArrayList<>();
    LongAdder stopped = new LongAdder();
    for (int i = 0; i < threads; i++) {
      SplittableRandom random = new SplittableRandom(i);
      all.add(
          new Thread(
              () -> {
                for (int k = 0; k < each; k++) {
                  boolean absent = following.ask(-random.nextLong(1L << 62)) == Answer.NOT_HERE;
                  stopped.add(absent ? 1 : 0);
                }
              }));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
    assertThat(stopped.sum()).isEqualTo(threads * (long) each);
    // At most one in 17 ms, and never one for each question.
    assertThat(table.catchUps.get() - before)
        .isLessThanOrEqualTo(millis / 17 + 2)
        .isLessThan(threads * (long) each);
  }

  @Test
  void maybe_neverWaits() {
    table.hangs.set(true);
    filter.put(5L);
    FollowingFilter<Long> following = start(builder());
    assertThat(following.ask(5L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(following.askAsync(5L)).isCompletedWithValue(Answer.MAYBE_HERE);
    assertThat(following.candidates(List.of(5L))).containsExactly(5L);
  }

  @Test
  void nothingIsDenied_beforeTheFirstCatchUp() {
    table.hangs.set(true);
    FollowingFilter<Long> following = start(builder());
    assertThat(following.ask(6L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.candidates(List.of(6L))).containsExactly(6L);
    assertThat(following.stats().doubts()).hasSize(1);
  }

  @Test
  void aFailure_isUnknown_untilACatchUpSucceeds() {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    table.broken.set(true);
    assertThat(following.ask(6L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.doubt()).contains("the server does not answer");
    table.commit(6L);
    table.broken.set(false);
    until(following, Answer.NOT_HERE, -2);
    assertThat(following.ask(6L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(following.doubt()).isNull();
  }

  @Test
  void aFailure_isToldOnce_andSoIsItsEnd() {
    BlockingQueue<Optional<String>> told = new LinkedBlockingQueue<>();
    table.broken.set(true);
    FollowingFilter<Long> following = start(builder().onDoubt(told::add));
    while (following.failures() < 2) {
      Thread.onSpinWait();
    }
    table.broken.set(false);
    until(following, Answer.NOT_HERE, -1);
    until(following, Answer.NOT_HERE, -2);
    assertThat(told.poll().orElseThrow()).contains("the server does not answer");
    assertThat(told.poll()).isEmpty();
    assertThat(told).isEmpty();
  }

  @Test
  void withoutDenying_nothingWaits_andNothingIsStopped() {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    filter.put(1L);
    Admission<Long> admission = Guard.over(following).admission();
    assertThat(admission.askAsync(2L).join().stopped()).isTrue();
    table.hangs.set(true);
    assertThat(admission.askWithoutDenying(1L).stopped()).isFalse();
    assertThat(admission.askWithoutDenying(2L).stopped()).isFalse();
    assertThat(admission.askWithoutDenyingAsync(1L).join().stopped()).isFalse();
    assertThat(admission.askWithoutDenyingAsync(2L).join().stopped()).isFalse();
    assertThat(admission.stats().unknownReasons()).hasSize(1).containsValue(2L);
  }

  @Test
  void aCatchUpThatHangs_isUnknown_afterThePatience_andThenAtOnce() {
    FollowingFilter<Long> following =
        start(FollowingFilter.over(filter, table).patience(Duration.ofMillis(30)));
    until(following, Answer.NOT_HERE, -1);
    table.hangs.set(true);
    assertThat(following.ask(6L)).isEqualTo(Answer.UNKNOWN);
    while (following.doubt() == null) {
      assertThat(following.ask(6L)).isEqualTo(Answer.UNKNOWN);
    }
    assertThat(following.doubt()).isEqualTo("the follower is late");
    table.commit(6L);
    table.hang.countDown();
    until(following, Answer.MAYBE_HERE, 6);
  }

  @Test
  void moreThanTheBoundOfWaitingThreads_areNotKept() throws Exception {
    FollowingFilter<Long> following = start(builder().mostWaiting(1));
    until(following, Answer.NOT_HERE, -1);
    table.hangs.set(true);
    do { // A catch-up that had begun may still answer.
      following.askAsync(5L);
    } while (!table.hanging.await(1, TimeUnit.MILLISECONDS));
    following.askAsync(6L); // The next group is full now.
    // Another thread completes it, at once; a question that waits would take five minutes.
    assertThat(following.askAsync(7L).get(4, TimeUnit.MINUTES)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.doubt()).isNull();
  }

  @Test
  void withABound_aRecentCatchUpIsEnough() {
    FollowingFilter<Long> following = start(builder().freshness(LONG));
    until(following, Answer.NOT_HERE, -1);
    table.hangs.set(true); // From now on nothing could be confirmed.
    long catchUps = table.catchUps.get();
    for (long key = 1; key < 1000; key++) {
      assertThat(following.ask(-key)).isEqualTo(Answer.NOT_HERE);
    }
    assertThat(table.catchUps.get()).isEqualTo(catchUps);
  }

  @Test
  void withABound_rowsThatAreOlderAreFound() throws InterruptedException {
    Duration bound = Duration.ofMillis(100);
    FollowingFilter<Long> following = start(builder().freshness(bound));
    until(following, Answer.NOT_HERE, -1);
    for (long key = 0; key < 20; key++) {
      table.commit(key);
      long committed = System.nanoTime();
      while (System.nanoTime() - committed <= bound.toNanos()) {
        Thread.sleep(1);
      }
      assertThat(following.ask(key)).isEqualTo(Answer.MAYBE_HERE);
    }
  }

  /** The catch-up that makes the filter fresh again ends after the filter was read. */
  @Test
  void withABound_aCatchUpThatEndsAfterTheFilterWasRead_provesNothing() throws Exception {
    Duration bound = Duration.ofMillis(40);
    AtomicReference<Runnable> afterRead = new AtomicReference<>(() -> {});
    MutableFilter<Long> slow =
        new Wrapped(filter) {
          @Override
          public Answer ask(Long key) {
            Answer answer = super.ask(key);
            afterRead.getAndSet(() -> {}).run();
            return answer;
          }
        };
    FollowingFilter<Long> following =
        start(FollowingFilter.over(slow, table).patience(LONG).freshness(bound));
    until(following, Answer.NOT_HERE, -1);
    table.hangs.set(true);
    long hanging = table.catchUps.get() + 1;
    while (table.catchUps.get() < hanging) {
      Thread.onSpinWait();
    }
    table.commit(6L);
    Thread.sleep(bound.toMillis() + 1); // The row is older than the bound, and so is the mark.
    afterRead.set(
        () -> {
          long before = following.confirmations();
          table.hangs.set(false);
          table.hang.countDown();
          while (following.confirmations() < before + 2) { // The second began just now.
            Thread.onSpinWait();
          }
        });
    assertThat(following.ask(6L)).isEqualTo(Answer.MAYBE_HERE);
  }

  @Test
  void closed_nothingIsDenied_andNobodyWaits() throws Exception {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    table.hangs.set(true);
    CompletableFuture<Answer> waits = following.askAsync(6L);
    following.close();
    assertThat(waits.get()).isEqualTo(Answer.UNKNOWN);
    assertThat(following.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.doubt()).isEqualTo("the follower is closed");
  }

  @Test
  void whatFollowsAnAsynchronousAnswer_doesNotHoldUpOthers() throws Exception {
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Answer> slow =
        following
            .askAsync(6L)
            .whenComplete(
                (answer, failure) -> {
                  try {
                    release.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
    assertThat(following.ask(7L)).isEqualTo(Answer.NOT_HERE);
    release.countDown();
    assertThat(slow.get()).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void aGuardOverIt_stopsWhatIsConfirmed_andLearnsOfNewRows() {
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), () -> List.of(1L, 2L).stream()).start();
    rebuilding.rebuildNow().join();
    Table rows = new Table(rebuilding);
    FollowingFilter<Long> following = start(FollowingFilter.over(rebuilding, rows).patience(LONG));
    Guard<Long, String> guard = Guard.over(following).loader(key -> Optional.of("row " + key));
    until(following, Answer.NOT_HERE, -1);
    assertThat(guard.get(-2L)).isEmpty();
    rows.commit(-2L);
    assertThat(guard.get(-2L)).contains("row -2");
    assertThat(guard.get(1L)).contains("row 1");
    rebuilding.close();
  }

  /** A reactive caller ends its audit while the follower hangs. */
  @Test
  void anAuditThatFoundARow_blocksNoCallerThatAskedWithoutBlocking() throws Exception {
    AtomicReference<Long> wrong = new AtomicReference<>();
    CountDownLatch told = new CountDownLatch(1);
    FollowingFilter<Long> following = start(builder());
    until(following, Answer.NOT_HERE, -1);
    Admission<Long> admission =
        Guard.over(following)
            .audit(1)
            .onWrong(
                key -> {
                  wrong.set(key);
                  told.countDown();
                })
            .admission();
    Admission<Long>.Decision audit = admission.askAsync(7L).get();
    assertThat(audit.admit()).isTrue();
    table.hangs.set(true);
    audit.found(); // The check waits, and the caller does not.
    assertThat(admission.stats().wrong()).isZero();
    table.hanging.await();
    table.hangs.set(false);
    table.hang.countDown();
    told.await();
    assertThat(wrong).hasValue(7L);
    assertThat(admission.stats().wrong()).isEqualTo(1);
    while (!filter.mightContain(7L)) {
      Thread.onSpinWait(); // It is healed at the same time.
    }
  }

  /** The generation before lacks what the follower missed when it lost its stream. */
  @Test
  void aFilterIntoWhichChangesAreRead_doesNotRollBack() {
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), () -> List.of(1L).stream()).start();
    rebuilding.rebuildNow().join();
    rebuilding.rebuildNow().join();
    Follower<Long> stream =
        new Follower<>() {
          @Override
          public Proof<Long> confirm(List<Long> asked) {
            return Proof.complete();
          }

          @Override
          public boolean readsChanges() {
            return true;
          }
        };
    start(FollowingFilter.over(rebuilding, stream));
    assertThatThrownBy(rebuilding::rollBack).hasMessageContaining("rebuild it instead");
    rebuilding.close();
  }

  @Test
  void aPut_saysWhatThePutOfTheFilterSays_inEachForm() {
    FollowingFilter<Long> following = start(builder());
    assertThat(following.put(1L)).isTrue();
    assertThat(following.put(1L)).isFalse();
    assertThat(following.putHash(following.hashOf(2L))).isTrue();
    assertThat(following.putHash(following.hashOfLong(2))).isFalse();
    long[] hashes = {following.hashOf(2L), following.hashOf(3L), following.hashOf(4L)};
    assertThat(following.putHashes(hashes, 2)).isEqualTo(1);
    assertThat(following.putAll(List.of(3L, 4L, 5L))).isEqualTo(2);
    assertThat(following.putAllAsync(List.of(5L, 6L))).isCompletedWithValue(1L);
    assertThat(filter.candidates(List.of(1L, 2L, 3L, 4L, 5L, 6L))).hasSize(6);
    assertThat(following.sizeInBytes()).isEqualTo(filter.sizeInBytes()).isPositive();
  }

  @Test
  void badSettings_areRefused() {
    assertThatThrownBy(() -> builder().freshness(Duration.ofMillis(1)))
        .hasMessage("freshness must be at least 34 ms: PT0.001S");
    assertThatThrownBy(() -> builder().patience(Duration.ZERO)).hasMessageContaining("patience");
    assertThatThrownBy(() -> builder().mostWaiting(0)).hasMessageContaining("mostWaiting");
  }

  /** As an OutOfMemoryError, which leaves no memory for a message. */
  @Test
  void aFailureThatCanNotSayWhatItIs_doesNotEndTheFollower() {
    Rows rows = new Rows();
    AtomicBoolean isBroken = new AtomicBoolean();
    FollowingFilter<Long> following =
        startOver(
            asked -> {
              if (isBroken.get()) {
                throw new Speechless();
              }
              return rows.confirm(asked);
            });
    isBroken.set(true);
    assertThat(following.ask(-2L)).isEqualTo(Answer.UNKNOWN);
    isBroken.set(false);
    until(following, Answer.NOT_HERE, -2);
  }

  private static final class Speechless extends Error {
    private static final long serialVersionUID = 1;

    @Override
    public String toString() {
      throw this;
    }
  }
}
