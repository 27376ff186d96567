package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A filter whose follower looks keys up. */
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
