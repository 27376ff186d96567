package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A filter that follows a table which others write: no committed row is denied. */
final class FollowingFilterTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  private final MutableFilter<Long> filter =
      Woodbird.bloom(Keys.longs(), 1_000_000).fpp(0.001).seed(7).build();
  private final Table table = new Table(filter);
  private final List<FollowingFilter<?>> started = new ArrayList<>();

  @AfterEach
  void closeAll() {
    table.hang.countDown();
    started.forEach(FollowingFilter::close);
  }

  /** Rows in the order of their commits, and a follower that reads what is new. */
  private static final class Table implements Follower<Long> {
    private MutableFilter<Long> into;
    private final List<Long> rows = new ArrayList<>();
    private int read;
    final AtomicLong catchUps = new AtomicLong();
    final AtomicBoolean broken = new AtomicBoolean();
    final AtomicBoolean hangs = new AtomicBoolean();
    final CountDownLatch hang = new CountDownLatch(1);
    final AtomicReference<Runnable> afterSnapshot = new AtomicReference<>(() -> {});

    Table(MutableFilter<Long> into) {
      this.into = into;
    }

    @Override
    public void begin(MutableFilter<Long> filter) {
      into = filter;
    }

    synchronized void commit(long key) {
      rows.add(key);
    }

    private synchronized List<Long> snapshot() {
      return List.copyOf(rows.subList(read, rows.size()));
    }

    @Override
    public boolean readsChanges() {
      return true;
    }

    @Override
    public Proof<Long> confirm(List<Long> asked) throws Exception {
      catchUps.incrementAndGet();
      if (broken.get()) {
        throw new IllegalStateException("the server does not answer");
      }
      if (hangs.get()) {
        hang.await();
      }
      List<Long> fresh = snapshot();
      afterSnapshot.getAndSet(() -> {}).run(); // Rows that are committed now are not in it.
      fresh.forEach(into::put);
      read += fresh.size();
      return Proof.complete();
    }
  }

  /** Rows, and a follower that looks up what it is asked about. */
  private static final class Rows implements Follower<Long> {
    final Set<Long> rows = ConcurrentHashMap.newKeySet();
    final LongAdder calls = new LongAdder();

    @Override
    public Proof<Long> confirm(List<Long> asked) {
      calls.increment();
      Set<Long> absent = new HashSet<>(asked);
      absent.removeAll(rows);
      Set<Long> present = new HashSet<>(asked);
      present.retainAll(rows);
      return new Proof<>() {
        @Override
        public boolean isAbsent(Long key) {
          return absent.contains(key);
        }

        @Override
        public boolean isPresent(Long key) {
          return present.contains(key);
        }
      };
    }
  }

  private FollowingFilter<Long> start(FollowingFilterBuilder<Long> builder) {
    FollowingFilter<Long> following = builder.start();
    started.add(following);
    return following;
  }

  private FollowingFilterBuilder<Long> builder() {
    return FollowingFilter.over(filter, table).patience(LONG);
  }

  private static void until(FollowingFilter<Long> following, Answer expected, long key) {
    while (following.ask(key) != expected) {
      Thread.onSpinWait();
    }
  }

  /** Commits rows in some threads, asks for each at once, and counts those that are denied. */
  private long denied(Filter<Long> asked, int threads, int rowsEach) throws InterruptedException {
    LongAdder denied = new LongAdder();
    List<Thread> all = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      long first = 1_000_000L * (i + 1);
      all.add(
          new Thread(
              () -> {
                for (long key = first; key < first + rowsEach; key++) {
                  table.commit(key);
                  denied.add(asked.ask(key) == Answer.NOT_HERE ? 1 : 0);
                }
              }));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
    return denied.sum();
  }

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
    assertThat(admission.stats().unknownReasons()).hasSize(1).containsValue(1L);
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
    Thread first = new Thread(() -> following.ask(6L));
    first.start();
    while (following.waiting() == 0) {
      Thread.onSpinWait();
    }
    assertThat(following.ask(7L)).isEqualTo(Answer.UNKNOWN);
    table.hang.countDown();
    first.join();
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

  /** A key that is "maybe here" and was never put. Fills the filter for it. */
  private long falsePositive() {
    for (long key = 0; key < 1_000_000; key++) {
      filter.putLong(key);
    }
    return LongStream.iterate(1L << 40, key -> key + 1)
        .filter(filter::mightContainLong)
        .findFirst()
        .getAsLong();
  }

  private FollowingFilter<Long> startOver(Follower<Long> follower) {
    FollowingFilter<Long> following = start(FollowingFilter.over(filter, follower).patience(LONG));
    until(following, Answer.NOT_HERE, -1);
    return following;
  }

  @Test
  void lookedUp_aRowIsFound_asSoonAsItsCommitHasReturned() {
    Rows rows = new Rows();
    FollowingFilter<Long> following = startOver(rows);
    for (long key = 0; key < 20; key++) {
      assertThat(following.ask(key)).isEqualTo(Answer.NOT_HERE);
      rows.rows.add(key);
      assertThat(following.ask(key)).isEqualTo(Answer.MAYBE_HERE);
      long calls = rows.calls.sum();
      assertThat(following.ask(key)).isEqualTo(Answer.MAYBE_HERE);
      assertThat(rows.calls.sum()).as("the filter has learned it").isEqualTo(calls);
    }
    rows.rows.add(99L);
    assertThat(following.candidates(List.of(-3L, 5L, 99L, -4L))).containsExactly(5L, 99L);
    assertThat(following.askAsync(-5L).join()).isEqualTo(Answer.NOT_HERE);
    assertThat(following.waiting()).isZero();
  }

  @Test
  void lookedUp_aHashProvesNothing() {
    FollowingFilter<Long> following = startOver(new Rows());
    long hash = following.hashOf(5L);
    assertThat(filter.mightContainHash(hash)).isFalse();
    assertThat(following.mightContainHash(hash)).isTrue();
    int[] selected = new int[1];
    assertThat(following.candidates(new long[] {hash}, 1, selected)).isEqualTo(1);
  }

  @Test
  void lookedUp_aKeyThatTheProofDoesNotCover_isUnknown() {
    FollowingFilter<Long> following = startOver(asked -> key -> key < 0);
    assertThat(following.ask(-7L)).isEqualTo(Answer.NOT_HERE);
    assertThat(following.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.candidates(List.of(-7L, 7L))).containsExactly(7L);
  }

  @Test
  void lookedUp_theAnswerIsKnown_whileTheFilterCanNotTell_onceTheSourceWasPlausible() {
    Rows rows = new Rows();
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), () -> rows.rows.stream()).build();
    FollowingFilter<Long> following = start(FollowingFilter.over(rebuilding, rows).patience(LONG));
    while (following.confirmations() == 0) {
      Thread.onSpinWait();
    }
    assertThat(rebuilding.rebuildNow().handle((built, failure) -> failure).join())
        .hasMessageContaining("gave no key");
    assertThat(following.ask(2L)).as("the source may be a mistake").isEqualTo(Answer.UNKNOWN);
    rows.rows.add(1L);
    rebuilding.rebuildNow().join();
    rebuilding.close(); // From now on it can't tell, and puts fail.
    assertThat(following.ask(1L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(following.ask(2L)).isEqualTo(Answer.NOT_HERE);
  }

  @Test
  void aBatchLargerThanAGroup_isAskedInParts() {
    Rows rows = new Rows();
    FollowingFilter<Long> following =
        start(FollowingFilter.over(filter, rows).patience(LONG).mostWaiting(10));
    until(following, Answer.NOT_HERE, -1);
    List<Long> many = LongStream.range(0, 95).boxed().toList();
    rows.rows.addAll(List.of(0L, 50L, 94L));
    assertThat(following.candidates(many)).containsExactly(0L, 50L, 94L);
  }

  @Test
  void lookedUp_aReplayedFalsePositive_reachesTheLoaderOnce_untilItsRowArrives() {
    Rows rows = new Rows();
    long key = falsePositive();
    FollowingFilter<Long> following = startOver(rows);
    Set<Long> stored = ConcurrentHashMap.newKeySet();
    AtomicLong loads = new AtomicLong();
    Guard<Long, String> guard =
        Guard.over(following)
            .loader(
                asked -> {
                  loads.incrementAndGet();
                  return stored.contains(asked) ? Optional.of("row") : Optional.empty();
                });
    for (int i = 0; i < 100; i++) {
      assertThat(guard.get(key)).isEmpty();
    }
    assertThat(loads).hasValue(1);
    assertThat(following.misses()).isEqualTo(1);
    stored.add(key);
    rows.rows.add(key);
    assertThat(guard.get(key)).contains("row");
    assertThat(following.misses()).isZero();
    assertThat(loads).hasValue(2);
  }

  /** A build reads a row that was lost for a while, and nobody puts its key. */
  @Test
  void whereChangesAreRead_aMissDoesNotOutliveItsRow() {
    Set<Long> rows = ConcurrentHashMap.newKeySet();
    rows.addAll(List.of(1L, 7L));
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), rows::stream).floor(0.1).start();
    rebuilding.rebuildNow().join();
    FollowingFilter<Long> following =
        start(FollowingFilter.over(rebuilding, asked -> Follower.Proof.complete()).patience(LONG));
    until(following, Answer.NOT_HERE, -1);
    Guard<Long, String> guard =
        Guard.over(following)
            .loader(key -> rows.contains(key) ? Optional.of("row") : Optional.empty());
    rows.remove(7L);
    assertThat(guard.get(7L)).isEmpty();
    rows.add(7L);
    rebuilding.rebuildNow().join();
    assertThat(guard.get(7L)).contains("row");
    rebuilding.close();
  }

  /** A proof about other keys is recent, and says nothing about this one. */
  @Test
  void withABound_aReplayedFalsePositive_reachesTheLoaderOnce() {
    Follower<Long> silent = asked -> List.copyOf(asked)::contains;
    FollowingFilter<Long> following =
        start(FollowingFilter.over(filter, silent).patience(LONG).freshness(LONG));
    until(following, Answer.NOT_HERE, -1);
    long key = falsePositive();
    AtomicLong loads = new AtomicLong();
    Guard<Long, String> guard =
        Guard.over(following)
            .loader(
                asked -> {
                  loads.incrementAndGet();
                  return Optional.empty();
                });
    for (int i = 0; i < 20; i++) {
      assertThat(guard.get(key)).isEmpty();
      assertThat(following.ask(-2L - i)).isEqualTo(Answer.NOT_HERE);
    }
    assertThat(loads).hasValue(1);
  }

  /** The row arrives after the loader has looked, and before it has said that it found nothing. */
  @Test
  void aRowThatArrivesDuringItsLookUp_isNotForgotten() {
    long key = falsePositive();
    FollowingFilter<Long> following = startOver(new Rows());
    Guard<Long, String> tooEarly =
        Guard.over(following)
            .loader(
                asked -> {
                  following.put(asked);
                  return Optional.empty();
                });
    assertThat(tooEarly.get(key)).isEmpty();
    assertThat(following.misses()).isZero();
  }

  @Test
  void rememberedMisses_areBounded_andForgottenWhenHashesArePut() {
    FollowingFilter<Long> following = startOver(new Rows());
    for (long key = 0; key < 50_000; key++) {
      following.missed(key, following.ticket(key));
    }
    assertThat(following.misses()).isBetween(1_000, 10_000);
    following.putHash(following.hashOf(1L));
    assertThat(following.misses()).isZero();
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
  void badSettings_areRefused() {
    assertThatThrownBy(() -> builder().freshness(Duration.ofMillis(1)))
        .hasMessage("freshness must be at least 34 ms: PT0.001S");
    assertThatThrownBy(() -> builder().patience(Duration.ZERO)).hasMessageContaining("patience");
    assertThatThrownBy(() -> builder().mostWaiting(0)).hasMessageContaining("mostWaiting");
  }
}
