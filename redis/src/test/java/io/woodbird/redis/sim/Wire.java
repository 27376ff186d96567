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
   * Replies.
   *
   * @param all one for each command
   * @param proofs if a proof was asked for, the reply to the one behind each command
   */
  record Replies(List<@Nullable Object> all, List<@Nullable Object> proofs) {}

  /** Work in the background. */
  interface Task {
    void wake();

    void stop();
  }

  /** Sends commands; each goes to the server that owns its slot. */
  Replies run(List<byte[][]> commands, int[] slots, byte @Nullable [][] proof);

  /** Sends one command to every master. */
  List<@Nullable Object> everywhere(byte[][] command);

  /** Names the server that owns a slot, as the process knows it. */
  String nodeOf(int slot);

  boolean cluster();

  long nanoTime();

  void pause(long nanos);

  long random();

  Task repeat(String name, long firstNanos, LongSupplier step);
}
