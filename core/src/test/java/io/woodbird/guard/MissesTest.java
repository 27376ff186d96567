package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.key.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the loader did not find is remembered, until its row arrives. */
final class MissesTest extends FollowingTests {
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

  /** A product without reviews is there, and is not proved again with each request for them. */
  @Test
  void lookedUp_aKeyThatIsThere_andForWhichNothingIsLoaded_isProvedOnce() {
    Rows rows = new Rows();
    rows.rows.add(7L);
    filter.put(7L);
    FollowingFilter<Long> following = startOver(rows);
    until(following, Answer.NOT_HERE, -1);
    AtomicLong loads = new AtomicLong();
    Guard<Long, String> reviews =
        Guard.over(following)
            .loader(
                key -> {
                  loads.incrementAndGet();
                  return Optional.empty();
                });
    long before = rows.calls.sum();
    for (int i = 0; i < 100; i++) {
      assertThat(reviews.get(7L)).isEmpty();
    }
    assertThat(loads).hasValue(100);
    assertThat(rows.calls.sum() - before).as("proofs").isLessThanOrEqualTo(2);
    rows.rows.remove(7L);
    for (int i = 0; i < 3000 && following.misses() == 0; i++) {
      assertThat(reviews.get(7L)).isEmpty();
    }
    assertThat(reviews.get(7L)).isEmpty();
    long known = loads.get();
    assertThat(known).as("loads of a deleted row").isLessThan(1500);
    assertThat(reviews.get(7L)).isEmpty();
    assertThat(loads).hasValue(known);
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
}
