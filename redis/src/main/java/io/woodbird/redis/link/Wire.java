package io.woodbird.redis.link;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client library gives: commands to a node over one connection, and which node has a slot.
 * No method throws because of the server or the network, and each ends at its deadline, a time of
 * {@link System#nanoTime}.
 */
public interface Wire extends AutoCloseable {
  /** Whether there may be more than one master. */
  boolean cluster();

  /** The master of a slot of a cluster, as the client knows it, or {@link Link#UNKNOWN}. */
  String nodeOf(int slot, long end);

  /** Asks the cluster where its slots are. */
  void relearn(long end);

  /** Sends commands over one connection, and waits for the replies. */
  List<@Nullable Object> exchange(String node, List<Command> commands, long end);

  /** Sends commands over one connection; the result waits for the replies. */
  Supplier<List<@Nullable Object>> start(String node, List<Command> commands, long end);

  /** Whether {@link #begin} and {@link #nodeOf} do not block. */
  default boolean begins() {
    return false;
  }

  /** Sends commands without blocking; null if that can't be done now. */
  default @Nullable CompletableFuture<List<@Nullable Object>> begin(
      String node, List<Command> commands, long end) {
    return null;
  }

  @Override
  void close();
}
