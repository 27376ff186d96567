package io.woodbird.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TogetherTest {
  @Test
  void run_runsEveryThreadOnce() {
    Set<Integer> seen = ConcurrentHashMap.newKeySet();
    Together.run(8, thread -> assertThat(seen.add(thread)).isTrue());
    assertThat(seen).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void rounds_endInAllThreadsBeforeTheNextBegins(int threads) {
    int wanted = 50;
    AtomicInteger running = new AtomicInteger();
    AtomicInteger rounds = new AtomicInteger();
    Together.rounds(
        threads,
        wanted,
        (thread, round) -> {
          assertThat(round).isEqualTo(rounds.get());
          running.incrementAndGet();
        },
        round -> {
          assertThat(running.getAndSet(0)).isEqualTo(threads);
          assertThat(rounds.getAndIncrement()).isEqualTo(round);
        });
    assertThat(rounds.get()).isBetween(wanted, 20 * wanted);
  }

  @Test
  void aFailureInOneThreadEndsAllAndIsTold() {
    assertThatThrownBy(
            () ->
                Together.rounds(
                    4,
                    1000,
                    (thread, round) -> {
                      if (thread == 2 && round == 10) {
                        throw new IllegalStateException("in the thread");
                      }
                    },
                    round -> assertThat(round).isLessThan(12)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("in the thread");
  }

  @Test
  void aFailureBetweenRoundsEndsAllAndIsTold() {
    assertThatThrownBy(
            () ->
                Together.rounds(
                    4,
                    1000,
                    (thread, round) -> {},
                    round -> {
                      if (round == 10) {
                        throw new IllegalStateException("between");
                      }
                    }))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("between");
  }
}
