package io.woodbird.spring;

import io.woodbird.MutableFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.GenerationStore;
import io.woodbird.guard.shared.SharedStore;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** The filter of a guard, which is rebuilt from time to time. Made by a store. */
public interface GuardFilter extends AutoCloseable {
  /**
   * The filter to ask and to put into. It must answer {@link io.woodbird.Answer#UNKNOWN} until it
   * holds every key of the source: an empty filter that says "not here" stops every user.
   *
   * @return always the same
   */
  MutableFilter<Object> filter();

  /**
   * Rebuilds the filter, in another thread. The first call also starts the schedule, if there is
   * one.
   *
   * @param atLeastKeys how many keys the source must give to be believed; empty for the usual
   * @return completes when the new generation answers, or exceptionally if the build failed
   */
  CompletableFuture<Generation> rebuild(OptionalLong atLeastKeys);

  /**
   * Goes back to the generation before.
   *
   * @return the generation that answers now; empty if there is none before, and nothing changed
   */
  Optional<Generation> rollBack();

  /**
   * The generation that answers.
   *
   * @return empty before the first build
   */
  Optional<Generation> generation();

  /**
   * Why the generation that answers can't be relied on, as far as this process has noticed. Asks
   * nobody.
   *
   * @return one line for each reason; empty if all is well
   */
  default List<String> doubts() {
    return List.of();
  }

  /** Ends it. From then on every answer is unknown. */
  @Override
  void close();

  /**
   * A filter whose generations this process builds by itself, wherever they live.
   *
   * @param plan what is configured
   * @param store where generations live
   * @return the filter
   */
  static GuardFilter rebuilding(GuardPlan plan, GenerationStore<Object> store) {
    return RebuildingGuardFilter.of(plan, builder -> builder.store(store));
  }

  /**
   * A filter that other processes share, and that one of them at a time builds.
   *
   * @param plan what is configured
   * @param store where it lives
   * @return the filter
   */
  static GuardFilter rebuilding(GuardPlan plan, SharedStore<Object> store) {
    return RebuildingGuardFilter.of(plan, builder -> builder.store(store));
  }
}
