package io.woodbird.guard;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.Answer;
import io.woodbird.Filter;
import io.woodbird.MutableFilter;
import io.woodbird.Woodbird;
import io.woodbird.key.Keys;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a key that an audit found, for each kind of filter. */
final class AuditCheckTest {
  private final List<Long> wrong = new CopyOnWriteArrayList<>();
  private final List<Long> told = new CopyOnWriteArrayList<>();
  private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
  private AutoCloseable opened = () -> {};

  @AfterEach
  void close() throws Exception {
    opened.close();
  }

  private static MutableFilter<Long> bloom() {
    return Woodbird.bloom(Keys.longs(), 100).fpp(1e-9).seed(4).build();
  }

  private Filter<Long> filter(String kind) {
    switch (kind) {
      case "frozen" -> {
        return Woodbird.frozen(Keys.longs()).fpp(1e-9).seed(4).buildFrom(List.of(1L));
      }
      case "rebuilding" -> {
        RebuildingFilter<Long> filter =
            RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L)).fpp(1e-9).seed(4).start();
        opened = filter;
        filter.rebuildNow().join();
        return filter;
      }
      case "following" -> {
        FollowingFilter<Long> filter =
            FollowingFilter.over(bloom(), asked -> Follower.Proof.complete())
                .patience(FollowingTests.LONG)
                .start();
        opened = filter;
        FollowingTests.until(filter, Answer.NOT_HERE, -1);
        filter.put(1L);
        return filter;
      }
      default -> {
        MutableFilter<Long> filter = bloom();
        filter.put(1L);
        return filter;
      }
    }
  }

  /** Runs a check, and waits until it has said what is uncaught or that it is done. */
  private void check(Filter<Long> filter, boolean later, long key) {
    AuditCheck<Long> check = new AuditCheck<>(filter, wrong::add, told::add);
    Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
    Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> uncaught.add(failure));
    try {
      if (later) {
        check.runLater(key);
      } else {
        check.run(key);
      }
    } finally {
      Thread.currentThread().setUncaughtExceptionHandler(before);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain,false", "plain,true",
    "frozen,false", "frozen,true",
    "rebuilding,false", "rebuilding,true",
    "following,false", "following,true"
  })
  void aKeyThatIsStillDenied_wasWrong_isPut_andTold(String kind, boolean later) {
    Filter<Long> filter = filter(kind);
    check(filter, later, 7L);
    while (told.isEmpty()) { // A follower answers in a thread of its own.
      Thread.onSpinWait();
    }
    assertThat(wrong).containsExactly(7L);
    assertThat(told).containsExactly(7L);
    assertThat(uncaught).isEmpty();
    assertThat(filter.ask(7L))
        .isEqualTo(kind.equals("frozen") ? Answer.NOT_HERE : Answer.MAYBE_HERE);
    check(filter, later, 1L); // It is here, which is answered at once.
    assertThat(wrong).containsExactly(7L);
    assertThat(told).containsExactly(7L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFilterThatFailsWhenItIsAskedAgain_isNotWrong_andTheFailureIsTold(boolean later) {
    Wrapped failing =
        new Wrapped(bloom()) {
          @Override
          public Answer ask(Long key) {
            throw new IllegalStateException("the store is away");
          }
        };
    check(failing, later, 7L);
    assertThat(wrong).isEmpty();
    assertThat(told).isEmpty();
    assertThat(uncaught).singleElement().asString().contains("the store is away");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aFilterThatTakesNoKey_wasWrongAllTheSame(boolean later) {
    RuntimeException full = new IllegalStateException("full");
    Wrapped failing =
        new Wrapped(bloom()) {
          @Override
          public long putAll(java.util.Collection<? extends Long> keys) {
            throw full;
          }
        };
    check(failing, later, 7L);
    assertThat(wrong).containsExactly(7L);
    assertThat(told).containsExactly(7L);
    assertThat(uncaught).singleElement().isSameAs(full);
  }

  /** A caller that must not be blocked: the answer comes later, from a thread of the store. */
  @Test
  void aSharedFilterThatAnswersLater_isJudgedByThatAnswer() {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    FakeShared shared =
        new FakeShared(FakeShared.SEED) {
          @Override
          public CompletableFuture<Answer> askAsync(Long key) {
            return answer;
          }
        };
    shared.built(0);
    RebuildingFilter<Long> filter =
        RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L)).store(shared).build();
    opened = filter;
    filter.put(1L); // Opens the store.
    check(filter, true, 7L);
    assertThat(wrong).isEmpty();
    answer.complete(Answer.NOT_HERE);
    assertThat(wrong).containsExactly(7L);
    assertThat(told).containsExactly(7L);
    assertThat(shared.mightContain(7L)).isTrue();
  }
}
