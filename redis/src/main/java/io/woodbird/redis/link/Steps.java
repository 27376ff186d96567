package io.woodbird.redis.link;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Steps that depend on each other, for callers that must not block or for those that may. */
public interface Steps {
  /**
   * Begins to run commands, as {@link Link#run} does. What depends on the replies may run in a
   * thread of the client, and must not block: see {@link #later}.
   */
  CompletableFuture<Link.Replies> begin(List<Command> commands, List<Command> after);

  /** Runs what may block; fails at once if too much waits for a thread. */
  default <T> CompletableFuture<T> later(Supplier<T> work) {
    return CompletableFuture.completedFuture(work.get());
  }
}
