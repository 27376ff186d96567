package io.woodbird.guard.shared;

import io.woodbird.Answer;
import io.woodbird.MutableFilter;
import io.woodbird.guard.Generation;
import io.woodbird.guard.RebuildingFilter;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A filter that several processes share and that one of them at a time rebuilds. A {@link
 * RebuildingFilter} over it keeps the schedule and judges the source; that every put of every
 * process reaches the generation that answers is the filter's own affair.
 *
 * <p>It answers {@link io.woodbird.Answer#UNKNOWN} until it was built for the first time, and
 * whenever it can't know.
 *
 * @param <K> the type of the keys
 */
public interface SharedFilter<K> extends MutableFilter<K>, AutoCloseable {
  /**
   * Asks about a key without blocking, if the store can.
   *
   * @param key the key
   * @return completes with the answer, never with an exception; what depends on it must not block
   */
  default CompletableFuture<Answer> askAsync(K key) {
    return CompletableFuture.completedFuture(ask(key));
  }

  /**
   * Puts hashes as {@link #putHashes} does, without blocking, if the store can.
   *
   * @param hashes the hashes, which must not change afterwards
   * @return completes with how many were certainly new, or exceptionally if they are not known to
   *     be put; what depends on it must not block
   */
  default CompletableFuture<Integer> putHashesAsync(long[] hashes) {
    return CompletableFuture.completedFuture(putHashes(hashes, hashes.length));
  }

  /**
   * {@return the generation that answers, as this process saw it last; empty before the first
   * build} Asks nobody.
   */
  Optional<Generation> generation();

  /**
   * {@return why answers are unknown, as this process saw it last; empty if all is well} Asks
   * nobody.
   */
  List<String> doubts();

  /**
   * What the store holds now.
   *
   * @param generation the one that answers; null before the first build
   * @param age how long ago it was built, by the clock of the store
   * @param whole whether it can answer
   */
  record Seen(@Nullable Generation generation, Duration age, boolean whole) {}

  /**
   * Looks at the store.
   *
   * @return what is there
   * @throws IOException if the store is away
   */
  Seen look() throws IOException;

  /** One build, as the {@link RebuildingFilter} wants it. */
  interface Building<K> {
    /** {@return for how many keys the fpp must hold} */
    long capacity();

    /**
     * {@return how long a put may be older than its row in the source} Between the moment from
     * which every put of every process reaches the new generation and the call of {@link #fill}
     * that much time must pass, unless nobody has put anything.
     */
    Duration settle();

    /**
     * To be called every second or so while something is waited for.
     *
     * @throws RuntimeException if the build is not wanted any more
     */
    void alive();

    /**
     * Reads the source into a filter. Called once, when every put of every process reaches the new
     * generation too.
     *
     * @param number of the generation
     * @param empty takes the keys, with the hashes of the plan
     * @return how many keys the source gave
     * @throws Exception if it can't be read or can't be believed; then the build must be given up
     */
    long fill(long number, MutableFilter<K> empty) throws Exception;
  }

  /**
   * Builds a generation and lets it answer, in all processes.
   *
   * @param building what to build
   * @return the generation; empty if another process is building, or has taken over
   * @throws Exception what {@code building} threw, or why it can't be; the old generation stays
   */
  Optional<Generation> rebuild(Building<K> building) throws Exception;

  /**
   * Lets the generation before answer again, in all processes.
   *
   * @return the one that answers now; empty if there is none, and nothing changed
   */
  Optional<Generation> rollBack();

  /** Ends this process's part; the filter stays. From then on every answer is unknown. */
  @Override
  void close();

  /**
   * {@return whether it is closed} If somebody else than the {@link RebuildingFilter} over it has
   * done that, as the store lost its client, the next put or build opens another one.
   */
  boolean isClosed();
}
