package io.woodbird.console;

import io.woodbird.console.GuardSnapshot.Generation;
import io.woodbird.console.GuardSnapshot.State;
import io.woodbird.guard.RebuildEvent;
import io.woodbird.guard.RebuildingFilter;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last generations of a {@link RebuildingFilter}, from its events: give it to {@link
 * io.woodbird.guard.RebuildingFilterBuilder#onEvent}.
 */
public final class GenerationLog implements Consumer<RebuildEvent> {
  private static final int MOST = 50;

  private final Clock clock;
  private final List<Generation> generations = new ArrayList<>();
  private String trouble = "";

  /** Makes an empty log. */
  public GenerationLog() {
    this(Clock.systemUTC());
  }

  GenerationLog(Clock clock) {
    this.clock = clock;
  }

  @Override
  public synchronized void accept(RebuildEvent event) {
    Instant now = clock.instant();
    long number = event.generation();
    switch (event.kind()) {
      case STARTED -> {
        generations.add(new Generation(number, State.BUILDING, now, null, null, 0));
        generations.sort(Comparator.comparingLong(Generation::number));
        if (generations.size() > MOST) {
          generations.remove(0);
        }
      }
      case BUILT -> {
        // The thread of a build may tell of it after that of the next.
        if (generations.stream().anyMatch(one -> one.number() > number && one.served() != null)) {
          generations.replaceAll(
              one -> one.number() == number ? ended(serving(one, now), State.RETIRED, now) : one);
        } else {
          serve(number, now);
        }
      }
      case ROLLED_BACK -> serve(number, now);
      case FAILED, REFUSED -> {
        trouble = event.message();
        generations.replaceAll(one -> one.number() == number ? ended(one, State.FAILED, now) : one);
      }
      case STALLED, OVERFULL -> trouble = event.message();
    }
  }

  private void serve(long number, Instant now) {
    trouble = "";
    generations.replaceAll(one -> one.number() == number ? serving(one, now) : retired(one, now));
  }

  private static Generation serving(Generation one, Instant now) {
    Instant served = one.served();
    return new Generation(
        one.number(),
        State.SERVING,
        one.started(),
        served == null ? now : served,
        null,
        one.keys());
  }

  private static Generation retired(Generation one, Instant now) {
    return one.state() == State.SERVING ? ended(one, State.RETIRED, now) : one;
  }

  private static Generation ended(Generation one, State state, Instant now) {
    return new Generation(one.number(), state, one.started(), one.served(), now, one.keys());
  }

  /**
   * Returns what is known.
   *
   * @param current tells how many keys the generation that answers was built from; may be null
   * @return the generations, oldest first
   */
  synchronized List<Generation> generations(@Nullable RebuildingFilter<?> current) {
    if (current != null) {
      current
          .generation()
          .ifPresent(
              real ->
                  generations.replaceAll(
                      one -> one.number() == real.number() ? counted(one, real.keys()) : one));
    }
    return List.copyOf(generations);
  }

  private static Generation counted(Generation one, long keys) {
    return new Generation(
        one.number(), one.state(), one.started(), one.served(), one.ended(), keys);
  }

  /** What went wrong last, until a build is done again. */
  synchronized List<String> doubts() {
    return trouble.isEmpty() ? List.of() : List.of(trouble);
  }
}
