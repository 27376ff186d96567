package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.KeyHasher;
import io.woodbird.key.Keys;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A filter whose follower looks keys up, and what the loader did not find. */
final class LookedUpTest extends FollowingTests {
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

  /** What an earlier process left, and a source that stops giving keys in the middle. */
  private FollowingFilter<Long> restarted(Rows rows, LongStream left, LongStream given)
      throws InterruptedException {
    MutableFilter<Long> old = Woodbird.bloom(Keys.longs(), 10_000).fpp(0.001).build();
    left.forEach(old::putLong);
    GenerationStore<Long> store =
        new GenerationStore<>() {
          @Override
          public MutableFilter<Long> begin(Plan<Long> plan) throws IOException {
            return GenerationStore.<Long>memory().begin(plan);
          }

          @Override
          public Optional<Filter<Long>> restore(KeyHasher<Long> keys) {
            return Optional.of(old);
          }
        };
    CountDownLatch hangs = new CountDownLatch(1);
    KeySource<Long> source =
        () ->
            Stream.concat(
                given.boxed(),
                Stream.generate(
                    () -> {
                      hangs.countDown();
                      LockSupport.park();
                      throw new IllegalStateException("given up");
                    }));
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), source).store(store).build();
    FollowingFilter<Long> following = start(FollowingFilter.over(rebuilding, rows).patience(LONG));
    CompletableFuture<Generation> unused = rebuilding.rebuildNow();
    hangs.await();
    while (following.confirmations() == 0) {
      Thread.onSpinWait();
    }
    return following;
  }

  @Test
  void afterARestart_keysAreDeniedBeforeTheFirstBuildEnds_ifTheSourceIsThatOfTheFile()
      throws Exception {
    Rows rows = new Rows();
    LongStream.range(0, 5000).forEach(rows.rows::add);
    FollowingFilter<Long> same =
        restarted(rows, LongStream.range(0, 5000), LongStream.range(0, 2000));
    assertThat(same.ask(3L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(same.ask(7000L)).isEqualTo(Answer.NOT_HERE);
    rows.rows.add(7000L);
    assertThat(same.ask(7000L)).isEqualTo(Answer.MAYBE_HERE);

    FollowingFilter<Long> another =
        restarted(rows, LongStream.range(0, 5000), LongStream.range(4500, 6500));
    assertThat(another.ask(8000L)).as("other keys than before").isEqualTo(Answer.UNKNOWN);
    FollowingFilter<Long> few =
        restarted(rows, LongStream.range(0, 5000), LongStream.range(0, 1000));
    assertThat(few.ask(8000L)).as("too few keys to tell").isEqualTo(Answer.UNKNOWN);
  }

  /** With a bound, and a machine that sleeps: one clock stands still. */
  @Test
  void aProof_isNotUsedAgain_whenTheClockOfTheDayJumps() {
    Rows rows = new Rows();
    AtomicLong millis = new AtomicLong(1_000_000_000_000L);
    FollowingFilter<Long> following =
        start(
            FollowingFilter.over(filter, rows)
                .patience(LONG)
                .freshness(Duration.ofHours(1))
                .clock(() -> Instant.ofEpochMilli(millis.get())));
    until(following, Answer.NOT_HERE, -1);
    for (long hours : List.of(2L, -3L, 100L, -100L)) {
      long key = 500 + hours;
      assertThat(following.ask(key)).isEqualTo(Answer.NOT_HERE);
      rows.rows.add(key);
      assertThat(following.ask(key)).as("within the bound").isEqualTo(Answer.NOT_HERE);
      millis.addAndGet(Duration.ofHours(hours).toMillis());
      assertThat(following.ask(key)).as("%d hours", hours).isEqualTo(Answer.MAYBE_HERE);
    }
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
    assertReplayIsStopped(startOver(rows), rows, key);
  }

  /** The row is not in the stream: only a build has read it. */
  @Test
  void whereChangesAreRead_missesAreLookedUp_andNothingElseIs() {
    Rows rows = new Rows();
    long key = falsePositive();
    FollowingFilter<Long> following = start(builder().lookUpMisses(rows));
    until(following, Answer.NOT_HERE, -1);
    assertThat(following.ask(-2L)).isEqualTo(Answer.NOT_HERE);
    assertThat(rows.calls.sum()).as("what the filter does not have is not looked up").isZero();
    assertReplayIsStopped(following, rows, key);
    assertThat(following.ask(-2L)).isEqualTo(Answer.NOT_HERE);
    table.commit(-2L);
    assertThat(following.ask(-2L)).isEqualTo(Answer.MAYBE_HERE);
  }

  @Test
  void whereChangesAreRead_aMissOfAnExistingRow_isNotDenied() {
    Rows rows = new Rows();
    rows.rows.add(7L);
    filter.put(7L);
    FollowingFilter<Long> following = start(builder().lookUpMisses(rows));
    until(following, Answer.NOT_HERE, -1);
    Guard<Long, String> old = Guard.over(following).loader(key -> Optional.empty()); // A replica.
    assertThat(old.get(7L)).isEmpty();
    assertThat(following.misses()).isEqualTo(1);
    assertThat(following.ask(7L)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(following.misses()).isZero();
  }

  @Test
  void whereChangesAreRead_aMissLeavesTheOtherKeysOfItsBatchDenied() {
    long key = falsePositive();
    FollowingFilter<Long> following = start(builder().lookUpMisses(new Rows()));
    until(following, Answer.NOT_HERE, -1);
    following.missed(key, following.ticket(key));
    assertThat(following.misses()).isEqualTo(1);
    assertThat(following.candidates(List.of(key, -2L))).isEmpty();
  }

  @Test
  void whereChangesAreRead_aMissThatTheLookUpDoesNotCover_staysAMiss() {
    long key = falsePositive();
    FollowingFilter<Long> following = start(builder().lookUpMisses(asked -> other -> false));
    until(following, Answer.NOT_HERE, -1);
    following.missed(key, following.ticket(key));
    assertThat(following.ask(key)).isEqualTo(Answer.MAYBE_HERE);
    assertThat(following.misses()).isEqualTo(1);
  }

  /** Counts how often it was closed. */
  private static Follower<Long> counted(AtomicLong closed, boolean readsChanges) {
    return new Follower<>() {
      @Override
      public boolean readsChanges() {
        return readsChanges;
      }

      @Override
      public Proof<Long> confirm(List<Long> asked) {
        return key -> false;
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  @Test
  void close_closesBothFollowers() {
    AtomicLong changes = new AtomicLong();
    AtomicLong lookUps = new AtomicLong();
    FollowingFilter<Long> following =
        FollowingFilter.over(filter, counted(changes, true))
            .lookUpMisses(counted(lookUps, false))
            .start();
    following.close();
    assertThat(changes).hasValue(1);
    assertThat(lookUps).hasValue(1);
  }

  /** A recent proof that the filter is complete says nothing about a false positive. */
  @Test
  void whereChangesAreRead_withABound_aReplayedFalsePositive_isStopped() {
    Rows rows = new Rows();
    long key = falsePositive();
    FollowingFilter<Long> following =
        start(builder().freshness(Duration.ofMillis(34)).lookUpMisses(rows));
    until(following, Answer.NOT_HERE, -1);
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
    }
    assertThat(loads).hasValue(1);
  }

  @Test
  void lookUpsOfMisses_needAFollowerOfEachKind() {
    assertThatThrownBy(() -> FollowingFilter.over(filter, new Rows()).lookUpMisses(table).build())
        .hasMessageContaining("lookUpMisses");
    assertThatThrownBy(() -> builder().lookUpMisses(table).build())
        .hasMessageContaining("lookUpMisses");
  }

  private static void assertReplayIsStopped(FollowingFilter<Long> following, Rows rows, long key) {
    Set<Long> stored = ConcurrentHashMap.newKeySet();
    AtomicLong loads = new AtomicLong();
    Guard<Long, String> guard =
        Guard.over(following)
            .loader(
                asked -> {
                  loads.incrementAndGet();
                  return stored.contains(asked) ? Optional.of("row") : Optional.empty();
                });
    assertThat(guard.get(key)).isEmpty();
    for (int i = 0; i < 2; i++) { // A group takes 10,000 questions.
      List<CompletableFuture<Admission<Long>.Decision>> replayed =
          Stream.generate(() -> guard.admission().askAsync(key)).limit(10_000).toList();
      assertThat(replayed.stream().filter(answer -> !answer.join().stopped()).count()).isZero();
    }
    assertThat(guard.get(key)).isEmpty();
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
    following.missed(1L, following.ticket(1L));
    following.putAllAsync(List.of(1L)).join();
    assertThat(following.misses()).isZero();
  }

  /** The query of the follower does not give what the loader finds. */
  @Test
  void aProofThatAnAuditDisproves_isNeverBelievedAgain_whateverIsBuilt() {
    RebuildingFilter<Long> rebuilding =
        RebuildingFilter.of(Keys.longs(), () -> List.of(1L).stream()).start();
    rebuilding.rebuildNow().join();
    FollowingFilter<Long> following =
        start(FollowingFilter.over(rebuilding, asked -> key -> true).patience(LONG));
    until(following, Answer.NOT_HERE, -1);
    AtomicReference<Double> draw = new AtomicReference<>(0.0); // Everything is audited.
    Guard<Long, String> guard =
        Guard.over(following).audit(0.5).draw(draw::get).loader(key -> Optional.of("row " + key));
    assertThat(guard.get(7L)).contains("row 7");
    assertThat(guard.stats().wrong()).isEqualTo(1);
    draw.set(0.9); // Nothing is.
    assertThat(guard.get(8L)).contains("row 8");
    rebuilding.rebuildNow().join();
    assertThat(guard.get(9L)).contains("row 9");
    guard.admission().trust();
    assertThat(guard.get(10L)).isEmpty();
    rebuilding.close();
  }

  /** An audit may find a row that is younger than the bound, and that was rightly denied. */
  @Test
  void withABound_aRowThatIsYoungerThanIt_isNoWrongAnswer() {
    Rows rows = new Rows();
    Follower<Long> outside = // Its proofs hold for all keys, as those about bounds do.
        asked -> {
          Follower.Proof<Long> asNow = rows.confirm(asked);
          Set<Long> then = Set.copyOf(rows.rows);
          return new Follower.Proof<>() {
            @Override
            public boolean isAbsent(Long key) {
              return asNow.isAbsent(key) || !then.contains(key);
            }

            @Override
            public boolean isPresent(Long key) {
              return asNow.isPresent(key);
            }
          };
        };
    FollowingFilter<Long> following =
        start(FollowingFilter.over(filter, outside).patience(LONG).freshness(LONG));
    until(following, Answer.NOT_HERE, -1);
    Guard<Long, String> audited =
        Guard.over(following).audit(0.5).draw(() -> 0.0).loader(key -> Optional.of("row " + key));
    rows.rows.add(7L);
    assertThat(following.ask(7L)).as("younger than the bound").isEqualTo(Answer.NOT_HERE);
    assertThat(audited.get(7L)).contains("row 7");
    assertThat(audited.stats().audited()).isEqualTo(1);
    assertThat(audited.stats().wrong()).isZero();
  }

  /** Slow for some keys only, as a column without an index is. */
  @Test
  void aSourceThatIsTooSlow_isToldOf_andNobodyWaitsForIt_untilItIsFaster() throws Exception {
    AtomicLong millis = new AtomicLong(60);
    List<Optional<String>> told = new CopyOnWriteArrayList<>();
    Follower<Long> slow =
        asked -> {
          Thread.sleep(asked.isEmpty() ? 0 : millis.get());
          return key -> true;
        };
    FollowingFilter<Long> following =
        start(
            FollowingFilter.over(filter, slow).patience(Duration.ofMillis(100)).onDoubt(told::add));
    while (told.isEmpty()) {
      following.ask(7L);
    }
    assertThat(told.get(0).orElseThrow()).contains("a proof takes").contains("100 ms at most");
    assertThat(following.doubt()).contains("a proof takes");
    long waited = following.waits();
    assertThat(following.ask(8L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.waits()).as("nobody waits").isEqualTo(waited);
    long tries = following.confirmations();
    while (following.confirmations() < tries + 2) {
      assertThat(following.ask(8L)).isEqualTo(Answer.UNKNOWN);
    }
    assertThat(told).as("nothing is said twice").hasSize(1);
    millis.set(0);
    while (told.size() < 2) {
      Thread.onSpinWait();
    }
    assertThat(told.get(1)).isEmpty();
    until(following, Answer.NOT_HERE, 9);
  }

  @Test
  void aFollowerThatGivesNoProof_fails() {
    FollowingFilter<Long> following =
        start(FollowingFilter.over(filter, asked -> null).patience(LONG));
    while (following.failures() == 0) {
      Thread.onSpinWait();
    }
    assertThat(following.ask(7L)).isEqualTo(Answer.UNKNOWN);
    assertThat(following.doubt()).contains("proof");
  }
}
