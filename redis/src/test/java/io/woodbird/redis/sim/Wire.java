package io.woodbird.redis.sim;

import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What a simulated process sees of the world: servers, a clock, and work in the background. */
public interface Wire {
  /** Why there is no reply, or an error of the server. */
  record Trouble(Kind kind, String message) {
    /** As the client libraries tell them apart. */
    public enum Kind {
      REFUSED,
      UNREACHABLE,
      TIMEOUT
    }
  }

  /**
   * Replies, which the receiver may change.
   *
   * @param all one for each command
   * @param after for each command, the replies to what followed it on the same connection
   */
  record Replies(List<@Nullable Object> all, List<List<@Nullable Object>> after) {}

  /** Work in the background. */
  interface Task {
    void stop();
  }

  /**
   * Sends commands; each goes to the server that owns its slot.
   *
   * @param after sent behind them to each server that takes any
   */
  Replies run(List<byte[][]> commands, int[] slots, List<byte[][]> after);

  /** Names the server that owns a slot, as the process knows it. */
  String nodeOf(int slot);

  /** The next slot that may have another server than this one. */
  int nextRun(int slot);

  boolean cluster();

  long nanoTime();

  void pause(long nanos);

  long random();

  Task repeat(String name, long firstNanos, LongSupplier step);
}
