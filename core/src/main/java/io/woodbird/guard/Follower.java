package io.woodbird.guard;

import io.woodbird.MutableFilter;
import java.util.List;

/**
 * Proves that keys are not in a source: in a table of a database, whichever program writes it.
 *
 * <p>There is one method to implement. If it keeps its promise, {@link FollowingFilter} is right. A
 * follower may look the keys up, all with one query. Or it reads a stream of changes into the
 * filter: then it asks the server for its present position, and waits until the stream has passed
 * it.
 *
 * @param <K> the type of the keys
 */
@FunctionalInterface
public interface Follower<K> extends AutoCloseable {
  /**
   * Called once, before anything else: each filter needs a follower of its own. Does nothing if a
   * follower does not say otherwise.
   *
   * @param filter where the follower puts the keys that it finds in the source
   * @throws Exception if the source can't be followed at all; the follower is closed then
   */
  default void begin(MutableFilter<K> filter) throws Exception {}

  /**
   * Finds out about keys that the filter does not have.
   *
   * <p>Never called by two threads at once. Another thread may {@link #close} the follower
   * meanwhile; if it {@linkplain #readsChanges reads changes}, the calling thread is interrupted.
   *
   * @param asked some keys, or none; some may come twice
   * @return says which keys are not in the source
   * @throws Exception if nothing is known: the server does not answer, its position is gone
   */
  Proof<K> confirm(List<K> asked) throws Exception;

  /**
   * Whether the follower reads changes into the filter, so that its proofs are {@linkplain
   * Proof#isComplete complete}. Then the filter must never lose what was put.
   *
   * @return false if a follower does not say otherwise: it looks keys up
   */
  default boolean readsChanges() {
    return false;
  }

  /** Ends the use of the source. Does nothing if a follower does not say otherwise. */
  @Override
  default void close() {}

  /**
   * What a call of {@link Follower#confirm} has found out.
   *
   * @param <K> the type of the keys
   */
  @FunctionalInterface
  interface Proof<K> {
    /**
     * Whether a key is certainly not in the source. Called by many threads.
     *
     * @param key one of the keys that were asked about, or another
     * @return true only if there was a moment after the call began at which no committed row had
     *     this key
     */
    boolean isAbsent(K key);

    /**
     * Whether a key is known to be in the source. It is then put into the filter.
     *
     * @param key one of the keys that were asked about, or another
     * @return false if a proof does not say otherwise
     */
    default boolean isPresent(K key) {
      return false;
    }

    /**
     * Whether every key whose commit had completed before the call began is in the filter now. Then
     * the filter alone decides.
     *
     * @return false if a proof does not say otherwise
     */
    default boolean isComplete() {
      return false;
    }

    /**
     * The proof of a follower that has read everything into the filter.
     *
     * @param <K> the type of the keys
     * @return a proof that is {@linkplain #isComplete complete}
     */
    static <K> Proof<K> complete() {
      return new Proof<>() {
        @Override
        public boolean isAbsent(K key) {
          return false;
        }

        @Override
        public boolean isComplete() {
          return true;
        }
      };
    }
  }
}
