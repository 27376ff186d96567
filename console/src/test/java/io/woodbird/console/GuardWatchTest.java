package io.woodbird.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.woodbird.console.GuardSnapshot.Generation;
import io.woodbird.console.GuardSnapshot.State;
import io.woodbird.guard.Guard;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildEvent.Kind;
import io.woodbird.guard.RebuildingFilter;
import io.woodbird.key.Keys;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class GuardWatchTest {
  @Test
  void snapshots_sayWhatTheGuardCounted() {
    GenerationLog log = new GenerationLog();
    try (RebuildingFilter<Long> ids =
        RebuildingFilter.of(Keys.longs(), () -> Stream.of(1L, 2L, 3L)).onEvent(log).start()) {
      ids.rebuildNow().join();
      Guard<Long, String> guard =
          Guard.of(ids, id -> id == 1 ? Optional.of("one") : Optional.empty());
      GuardWatch watch = new GuardWatch().add("products", guard, log).add("again", guard);
      guard.get(1L);
      guard.get(2L);
      guard.get(1_000_003L);
      GuardSnapshot shot = watch.snapshots().get(0);
      assertThat(shot.name()).isEqualTo("products");
      assertThat(shot.asked()).isEqualTo(3);
      assertThat(shot.found()).isEqualTo(1);
      assertThat(shot.falsePositives()).isGreaterThanOrEqualTo(1);
      assertThat(shot.stopped() + shot.loaded()).isEqualTo(3);
      Generation last = shot.generations().get(shot.generations().size() - 1);
      assertThat(last.state()).isEqualTo(State.SERVING);
      assertThat(last.keys()).isEqualTo(3);
      assertThat(watch.snapshots().get(1).generations()).isEmpty();
    }
  }

  @Test
  void log_tellsFailedFromServing() {
    GenerationLog log = new GenerationLog();
    log.accept(new RebuildEvent(Kind.STARTED, 1, "", null));
    log.accept(new RebuildEvent(Kind.BUILT, 1, "", null));
    log.accept(new RebuildEvent(Kind.STARTED, 2, "", null));
    log.accept(new RebuildEvent(Kind.FAILED, 2, "the table is gone", null));
    assertThat(log.doubts()).containsExactly("the table is gone");
    log.accept(new RebuildEvent(Kind.STARTED, 3, "", null));
    log.accept(new RebuildEvent(Kind.BUILT, 3, "", null));
    assertThat(states(log)).containsExactly(State.RETIRED, State.FAILED, State.SERVING);
    assertThat(log.doubts()).isEmpty();
    log.accept(new RebuildEvent(Kind.ROLLED_BACK, 1, "", null));
    assertThat(states(log)).containsExactly(State.SERVING, State.FAILED, State.RETIRED);
  }

  /** Two builds are told of by two threads, either of which may be stopped for a while. */
  @Test
  void log_takesEventsThatComeLate() {
    GenerationLog log = new GenerationLog();
    log.accept(new RebuildEvent(Kind.STARTED, 2, "", null));
    log.accept(new RebuildEvent(Kind.STARTED, 1, "", null));
    log.accept(new RebuildEvent(Kind.BUILT, 2, "", null));
    assertThat(states(log)).containsExactly(State.BUILDING, State.SERVING);
    log.accept(new RebuildEvent(Kind.BUILT, 1, "", null));
    assertThat(states(log)).containsExactly(State.RETIRED, State.SERVING);
    log.accept(new RebuildEvent(Kind.ROLLED_BACK, 1, "", null));
    assertThat(states(log)).containsExactly(State.SERVING, State.RETIRED);
  }

  private static List<State> states(GenerationLog log) {
    return log.generations(null).stream().map(Generation::state).toList();
  }
}
