package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.woodbird.Answer;
import io.woodbird.BloomFilter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What reaches the loader, what does not, and what is counted. */
final class GuardTest {
  private static final int ROWS = 1000;

  private final AtomicInteger loads = new AtomicInteger();

  private static BloomFilter<Long> rows(double fpp) {
    BloomFilter<Long> filter = Woodbird.bloom(Keys.longs(), ROWS).fpp(fpp).seed(7).build();
    for (long key = 0; key < ROWS; key++) {
      filter.putLong(key);
    }
    return filter;
  }

  private Optional<String> load(Long key) {
    loads.incrementAndGet();
    return key >= 0 && key < ROWS ? Optional.of("row " + key) : Optional.empty();
  }

  /** A filter that gives one answer, or throws. */
  private static final class Fixed extends Wrapped {
    volatile Answer answer = Answer.UNKNOWN;
    volatile RuntimeException failure;

    Fixed() {
      super(rows(0.01));
    }

    @Override
    public Answer ask(Long key) {
      if (failure != null) {
        throw failure;
      }
      return answer;
    }
  }

  @Test
  void realKeysAreLoadedAndOthersDoNotReachTheLoader() {
    Guard<Long, String> guard = Guard.of(rows(1e-6), this::load);
    for (long key = 0; key < ROWS; key++) {
      assertThat(guard.get(key)).contains("row " + key);
    }
    for (long key = ROWS; key < 3 * ROWS; key++) {
      assertThat(guard.get(key)).isEmpty();
    }
    assertThat(loads).hasValue(ROWS);
    GuardStats stats = guard.stats();
    assertThat(stats)
        .isEqualTo(
            new GuardStats(
                3 * ROWS, 2 * ROWS, ROWS, 0, Map.of(), 0, ROWS, ROWS, 0, 0, 0, 0, 0, List.of()));
    assertThat(stats.toString()).startsWith("3,000 asked, 2,000 stopped, 1,000 loaded");
  }

  @Test
  void falsePositivesAreCountedAsTheyAre() {
    BloomFilter<Long> filter = rows(0.05);
    Guard<Long, String> guard = Guard.of(filter, this::load);
    long expected = 0;
    for (long key = ROWS; key < 21 * ROWS; key++) {
      expected += filter.mightContainLong(key) ? 1 : 0;
      guard.get(key);
    }
    assertThat(expected).isPositive();
    assertThat(guard.stats().falsePositives()).isEqualTo(expected).isEqualTo(loads.get());
    assertThat(guard.stats().found()).isZero();
  }

  @Test
  void unknownIsLoadedAndItsMissesAreNotFalsePositives() {
    Fixed filter = new Fixed();
    Guard<Long, String> guard = Guard.of(filter, this::load);
    assertThat(guard.get(1L)).contains("row 1");
    assertThat(guard.get(-1L)).isEmpty();
    filter.failure = new IllegalStateException("the filter is closed");
    assertThat(guard.get(2L)).contains("row 2");
    GuardStats stats = guard.stats();
    assertThat(stats.unknown()).isEqualTo(3);
    assertThat(stats.unknownReasons())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of("the filter can't tell", 2L, "IllegalStateException", 1L));
    assertThat(stats.falsePositives()).isZero();
    assertThat(stats.loaded()).isEqualTo(3);
    assertThat(stats.found()).isEqualTo(2);
  }

  @Test
  void unknownIsCappedByTheBulkheadAndMaybeIsNot() throws Exception {
    Fixed filter = new Fixed();
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch inside = new CountDownLatch(3);
    Guard<Long, String> guard =
        Guard.over(filter)
            .bulkhead(3)
            .loader(
                key -> {
                  if (key < 3) {
                    inside.countDown();
                    await(release);
                  }
                  return load(key);
                });
    List<Thread> threads = new ArrayList<>();
    for (long i = 0; i < 3; i++) {
      long key = i;
      Thread thread = new Thread(() -> guard.get(key));
      thread.start();
      threads.add(thread);
    }
    inside.await();
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(() -> guard.get(5L))
          .isInstanceOf(GuardOverloadedException.class)
          .hasMessageContaining("the filter can't tell")
          .hasMessageContaining("3 look-ups are already running");
    }
    filter.answer = Answer.MAYBE_HERE;
    assertThat(guard.get(6L)).contains("row 6");
    filter.answer = Answer.UNKNOWN;
    assertThat(guard.stats().rejected()).isEqualTo(5);
    release.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(guard.get(7L)).contains("row 7");
    assertThat(guard.stats().loaded()).isEqualTo(5).isEqualTo(loads.get());
    assertThat(guard.stats().unknown()).isEqualTo(9);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aLoaderThatThrowsGivesItsPlaceFreeAndIsCounted() {
    Guard<Long, String> guard =
        Guard.over(new Fixed())
            .bulkhead(1)
            .loader(
                key -> {
                  throw new IllegalStateException("the database is away");
                });
    for (int i = 0; i < 10; i++) {
      assertThatThrownBy(() -> guard.get(1L)).hasMessage("the database is away");
    }
    assertThat(guard.stats().failed()).isEqualTo(10);
    assertThat(guard.stats().rejected()).isZero();
    Guard<Long, String> returnsNull = Guard.over(new Fixed()).bulkhead(1).loader(key -> nothing());
    assertThatNullPointerException().isThrownBy(() -> returnsNull.get(1L));
    assertThat(returnsNull.stats().failed()).isEqualTo(1);
  }

  private static Optional<String> nothing() {
    return null;
  }

  @Test
  void anInterruptedThreadIsServedAndStaysInterrupted() {
    Guard<Long, String> guard = Guard.of(new Fixed(), this::load);
    Thread.currentThread().interrupt();
    try {
      assertThat(guard.get(1L)).contains("row 1");
      assertThat(Thread.currentThread().isInterrupted()).isTrue();
    } finally {
      Thread.interrupted();
    }
  }

  @Test
  void audit_letsItsShareThroughAndProvesThatNoneIsWrong() {
    AtomicLong number = new AtomicLong();
    Guard<Long, String> guard =
        Guard.over(rows(1e-6))
            .audit(0.25)
            .draw(() -> number.getAndIncrement() % 100 / 100.0)
            .loader(this::load);
    for (long key = ROWS; key < 2 * ROWS; key++) {
      assertThat(guard.get(key)).isEmpty();
    }
    assertThat(guard.stats().audited()).isEqualTo(ROWS / 4).isEqualTo(loads.get());
    assertThat(guard.stats().stopped()).isEqualTo(ROWS - ROWS / 4);
    assertThat(guard.stats().wrong()).isZero();
    assertThat(guard.stats().falsePositives()).isZero();
  }

  @Test
  void audit_ofAWrongFilterServesTheKeyHealsItAndBelievesNoMore() {
    MutableFilter<Long> lossy = Woodbird.bloom(Keys.longs(), ROWS).fpp(1e-6).seed(8).build();
    AtomicReference<Long> told = new AtomicReference<>();
    AtomicReference<Double> draw = new AtomicReference<>(0.0);
    Guard<Long, String> guard =
        Guard.over(lossy).audit(0.5).draw(draw::get).onWrong(told::set).loader(this::load);
    assertThat(guard.get(1L)).contains("row 1");
    assertThat(told).hasValue(1L);
    assertThat(guard.stats().wrong()).isEqualTo(1);
    assertThat(lossy.mightContainLong(1L)).isTrue();
    draw.set(0.9); // No more audit, and still:
    assertThat(guard.get(2L)).contains("row 2");
    assertThat(guard.stats().unknownReasons()).containsOnlyKeys("an audit found a wrong answer");
    guard.admission().trust();
    assertThat(guard.get(3L)).isEmpty();
    guard.admission().distrust();
    assertThat(guard.get(3L)).contains("row 3");
  }

  @Test
  void audit_ofAKeyThatIsPutMeanwhileIsNotWrong() {
    MutableFilter<Long> filter = Woodbird.bloom(Keys.longs(), ROWS).seed(9).build();
    Guard<Long, String> guard =
        Guard.over(filter)
            .audit(1)
            .loader(
                key -> {
                  filter.put(key); // Between the question and the look-up.
                  return load(key);
                });
    assertThat(guard.get(1L)).contains("row 1");
    assertThat(guard.stats().audited()).isEqualTo(1);
    assertThat(guard.stats().wrong()).isZero();
  }

  @Test
  void audit_aListenerThatThrowsDoesNotLoseTheValue_andItsThreadIsTold() {
    Guard<Long, String> guard =
        Guard.over(Woodbird.bloom(Keys.longs(), ROWS).build())
            .audit(1)
            .onWrong(
                key -> {
                  throw new IllegalStateException("the listener's fault");
                })
            .loader(this::load);
    Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
    List<Throwable> told = new ArrayList<>();
    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> told.add(failure));
    try {
      assertThat(guard.get(1L)).contains("row 1");
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(before);
    }
    assertThat(guard.stats().wrong()).isEqualTo(1);
    assertThat(told)
        .singleElement()
        .hasToString("java.lang.IllegalStateException: the listener's fault");
  }

  @Test
  void audit_stopsWhileTheBulkheadIsFull() {
    Admission<Long> admission = Guard.over(rows(1e-6)).audit(1).bulkhead(1).admission();
    Admission<Long>.Decision first = admission.enter(-1L);
    assertThat(first.stopped()).isFalse();
    assertThat(admission.enter(-2L).stopped()).isTrue();
    first.missed();
    first.missed(); // Once more has no effect.
    first.failed();
    assertThat(admission.enter(-3L).stopped()).isFalse();
    assertThat(admission.enter(-4L).stopped()).isTrue();
    assertThat(admission.stats().failed()).isZero();
  }

  @Test
  void aPassThatWasStoppedHasNoEnd() {
    Admission<Long> admission = Guard.over(rows(1e-6)).admission();
    Admission<Long>.Decision decision = admission.enter(-1L);
    decision.found();
    decision.failed();
    assertThat(admission.stats().found()).isZero();
    assertThat(admission.stats().failed()).isZero();
  }

  @Test
  void aKeyThatIsFoundInACacheTakesNoPlaceInTheBulkhead() {
    Admission<Long> admission = Guard.over(new Fixed()).bulkhead(1).admission();
    for (long key = 0; key < 10; key++) {
      assertThat(admission.ask(key).stopped()).isFalse(); // And then the cache has it.
    }
    Admission<Long>.Decision first = admission.ask(10L);
    assertThat(first.admit()).isTrue();
    assertThat(first.admit()).as("again").isTrue();
    assertThatThrownBy(() -> admission.ask(11L).admit())
        .isInstanceOf(GuardOverloadedException.class);
    assertThatThrownBy(() -> admission.unknown("no key").admit()).hasMessageContaining("no key");
    first.found();
    Admission<Long>.Decision next = admission.unknown("no key");
    assertThat(next.admit()).isTrue();
    next.missed();
    assertThat(admission.stats().loaded()).isEqualTo(2);
    assertThat(admission.stats().missed()).isEqualTo(1);
    assertThat(admission.stats().unknownReasons()).containsEntry("no key", 2L);
  }

  /** As {@code @Retryable} around the look-up does. */
  @Test
  void whoeverWasRefusedOnce_needsAPlaceTheNextTimeToo() {
    Admission<Long> admission = Guard.over(new Fixed()).bulkhead(1).admission();
    Admission<Long>.Decision first = admission.enter(1L);
    Admission<Long>.Decision refused = admission.ask(2L);
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(refused::admit).isInstanceOf(GuardOverloadedException.class);
    }
    first.found();
    assertThat(refused.admit()).isTrue();
    assertThatThrownBy(() -> admission.ask(3L).admit())
        .isInstanceOf(GuardOverloadedException.class);
    assertThat(admission.stats().loaded()).isEqualTo(2);
    assertThat(admission.stats().rejected()).isEqualTo(3);
  }

  @Test
  void anAuditThatWasSparedOnce_isDeniedTheNextTimeToo() {
    Admission<Long> admission = Guard.over(rows(1e-6)).audit(1).bulkhead(1).admission();
    Admission<Long>.Decision running = admission.enter(-1L);
    Admission<Long>.Decision spared = admission.ask(-2L);
    assertThat(spared.admit()).isFalse();
    running.missed();
    assertThat(spared.admit()).isFalse();
    assertThat(admission.stats().stopped()).isEqualTo(1);
    assertThat(admission.stats().asked()).isEqualTo(2);
  }

  @Test
  void badArgumentsAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Guard.over(rows(0.01)).bulkhead(0))
        .withMessageContaining("0");
    for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Guard.over(rows(0.01)).audit(share))
          .withMessageContaining(Double.toString(share));
    }
    assertThatNullPointerException().isThrownBy(() -> Guard.of(rows(0.01), this::load).get(null));
    assertThatNullPointerException().isThrownBy(() -> Guard.over(null));
  }

  @Test
  void statsOfAFilterThatCanNotBeLookedAtSaySo() {
    Wrapped broken =
        new Wrapped(rows(0.01)) {
          @Override
          public io.woodbird.FilterStats stats() {
            throw new IllegalStateException("cut short");
          }
        };
    assertThat(Guard.of(broken, this::load).stats().doubts().get(0)).contains("cut short");
  }
}
