package io.woodbird.console;

import io.woodbird.Filter;
import io.woodbird.guard.FollowingFilter;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A guard at one moment: what it has counted since it began, and the filters behind it.
 *
 * @param name the guard's name
 * @param asked how many questions
 * @param stopped how many of them were "not here" and never reached the loader
 * @param loaded how many reached the loader
 * @param found how many of those the loader found
 * @param falsePositives how many were "maybe here", and the loader found nothing
 * @param unknown how many the filter could not tell
 * @param generations the filters behind it, oldest first; empty if it has only ever had one
 * @param doubts what is wrong, in words; empty when all is well
 * @param proofs what its follower has done; null if it does not follow its source
 */
public record GuardSnapshot(
    String name,
    long asked,
    long stopped,
    long loaded,
    long found,
    long falsePositives,
    long unknown,
    List<Generation> generations,
    List<String> doubts,
    @Nullable Proofs proofs) {
  /** Copies the lists. */
  public GuardSnapshot {
    generations = List.copyOf(generations);
    doubts = List.copyOf(doubts);
  }

  /**
   * How a source proved that keys are absent.
   *
   * @param given how many proofs there were
   * @param waiting how many keys wait for one now
   * @param misses how many keys are remembered that the loader did not find
   */
  public record Proofs(long given, int waiting, int misses) {
    /**
     * Of a filter.
     *
     * @param filter the filter that is asked
     * @return null if it does not follow its source
     */
    public static @Nullable Proofs of(Filter<?> filter) {
      return filter instanceof FollowingFilter<?> following
          ? new Proofs(following.confirmations(), following.waiting(), following.misses())
          : null;
    }
  }

  /** What a generation does. */
  public enum State {
    /** Is being built; another one answers. */
    BUILDING,
    /** Answers. */
    SERVING,
    /** Has answered, and was replaced. */
    RETIRED,
    /** Was never finished; the one before it kept answering. */
    FAILED
  }

  /**
   * One filter in a row of rebuilt ones.
   *
   * @param number counts from 1
   * @param state what it does
   * @param started when its build began
   * @param served when it began to answer; null before
   * @param ended when it was replaced or failed; null before
   * @param keys how many keys it was built from, as far as is known
   */
  public record Generation(
      long number,
      State state,
      Instant started,
      @Nullable Instant served,
      @Nullable Instant ended,
      long keys) {}
}
