package io.woodbird.guard;

/**
 * Brings the keys that are committed to a source into a filter: rows of a database, whoever writes
 * them.
 *
 * <p>There is one method to implement, and {@link FollowingFilter} is right if it keeps its
 * promise. A follower that polls runs its query. A follower that reads a stream asks the server for
 * its present position, and waits until the stream has passed it.
 *
 * <p>The promise covers rows that were committed before the follower was opened. So take the
 * position of the source first, then build the filter from the source, and then follow from that
 * position.
 */
@FunctionalInterface
public interface Follower extends AutoCloseable {
  /**
   * Returns when every key whose commit had completed before this call began is in the filter.
   *
   * <p>Never called by two threads at once. Another thread may {@link #close} the follower
   * meanwhile, and interrupts this one.
   *
   * @throws Exception if that can't be known: the server does not answer, its position is gone
   */
  void catchUp() throws Exception;

  /** Ends the use of the source. Does nothing if a follower does not say otherwise. */
  @Override
  default void close() {}
}
