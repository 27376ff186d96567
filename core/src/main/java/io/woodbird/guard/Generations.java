package io.woodbird.guard;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The generations of a {@link RebuildingFilter}: which of them answers, which take a put, and how
 * the next one comes to be. They are this process's own, or shared with others.
 */
interface Generations<K> {
  /**
   * Asks about a key.
   *
   * @param distrusted a denial counts only if it comes from a build of this process with a higher
   *     number; negative believes all
   */
  Answer ask(K key, long distrusted);

  /** As {@link #ask}, without blocking; what depends on it must not block. */
  default CompletableFuture<Answer> askAsync(K key, long distrusted) {
    return CompletableFuture.completedFuture(ask(key, distrusted));
  }

  /** Whether a build of this process with a higher number answers now. */
  boolean isNewerThan(long build);

  /** Whether an earlier life of the process seems to have had this key. */
  default boolean knew(K key) {
    return false;
  }

  /** The filter that answers; null if there is none, and every answer is "unknown". */
  @Nullable MutableFilter<K> answering();

  /** The generation that answers. */
  Optional<Generation> generation();

  /** Why it can't answer, though there is a generation that should; asks nobody. */
  List<String> doubts();

  /** Puts one hash. */
  boolean put(long hash);

  /** Puts many hashes; returns how many the generation that answers did not have. */
  int put(long[] hashes, int count);

  /** As {@link #put(long[], int)}, without blocking; what depends on it must not block. */
  default CompletableFuture<Integer> putAsync(long[] hashes) {
    return CompletableFuture.completedFuture(put(hashes, hashes.length));
  }

  /** The generation that has just passed its capacity; given to one caller only. */
  @Nullable Passed takeOverfull();

  /** A generation with more keys than the promised fpp holds for. */
  record Passed(long number, long capacity) {}

  /** Builds a generation and lets it answer; returns the one that answers then. */
  Generation build(Build<K> build) throws Exception;

  /** How long to wait for the next build, where the schedule says {@code pause}. */
  Duration untilNext(Duration pause);

  /** Lets the generation before answer again; null if there is none. */
  @Nullable RolledBack rollBack();

  /** Two generations: one answers again, the other does not. */
  record RolledBack(long number, @Nullable Generation current, long dropped) {}

  /** Lets nothing answer any more. */
  void close();
}
