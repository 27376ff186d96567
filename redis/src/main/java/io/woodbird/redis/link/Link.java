package io.woodbird.redis.link;

import io.woodbird.time.TimeSpan;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A way to a server or a cluster: commands in, replies out. All that Woodbird asks of a client.
 *
 * <p>A reply is a {@code byte[]}, a {@link Long}, a {@link List} of replies, null, or a {@link
 * RedisError}; no method throws because of the server or the network. Commands may be carried out
 * twice when a connection breaks. Every call ends within the deadline that the link was made with,
 * or soon after.
 */
public interface Link extends Steps, AutoCloseable {
  /** The name of no master. */
  String UNKNOWN = "unknown";

  /**
   * Sends commands, all in one round trip per node. Those for one node are carried out in order.
   *
   * @param commands each has a key
   * @param after commands without a key, such as {@code WAIT} or {@code INFO}: sent after the
   *     others to each node that takes any, on the same connection
   */
  Replies run(List<Command> commands, List<Command> after);

  /** Does not block where the client needs not. */
  @Override
  default CompletableFuture<Replies> begin(List<Command> commands, List<Command> after) {
    return CompletableFuture.completedFuture(run(commands, after));
  }

  /** Steps that are all done in the thread that asks for them. */
  default Steps blocking() {
    return (commands, after) -> CompletableFuture.completedFuture(run(commands, after));
  }

  /** The result of {@link #blocking} steps. */
  static <T> T joined(CompletableFuture<T> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /** Does in this thread what takes several calls, all of them within the time of one. */
  default <T> T asOneCall(Supplier<T> work) {
    return work.get();
  }

  /** How long a call may take. */
  default Duration timeout() {
    return TimeSpan.LONGEST;
  }

  /** Runs a command that has no key on the master that owns a key. */
  default @Nullable Object at(byte[] key, Command command) {
    return run(List.of(Command.getRange(key, 0, 0)), List.of(command)).after().get(0).get(0);
  }

  /** Asks a cluster where its slots are. */
  default void relearn() {}

  /** Names the master that owns a slot, as this client knows it; {@link #UNKNOWN} if none does. */
  String nodeOf(int slot);

  /**
   * The next slot that may have another master than this one: the slot after it, for all we know.
   */
  default int nextRun(int slot) {
    return slot + 1;
  }

  /** Names the master that owns a key, as this client knows it. */
  default String nodeOf(byte[] key) {
    return nodeOf(Slots.of(key));
  }

  /** Whether there may be more than one master. */
  boolean cluster();

  /** Whether this link, or its client, is closed: then every reply is an error. */
  boolean closed();

  /** Ends what this link began; the client stays open. */
  @Override
  void close();

  /**
   * Replies.
   *
   * @param all one for each command, in order
   * @param after for each command, the replies to what followed it on the same connection; empty if
   *     nothing was to follow
   */
  record Replies(List<@Nullable Object> all, List<List<@Nullable Object>> after) {}

  /** Runs one command. */
  default @Nullable Object run(Command command) {
    return run(List.of(command), List.of()).all().get(0);
  }

  /** Runs commands that nothing follows. */
  default List<@Nullable Object> run(List<Command> commands) {
    return run(commands, List.of()).all();
  }
}
