package io.woodbird.redis;

import java.util.Objects;

/**
 * A put, or another change, that is not known to be done. The message says why, and {@link #reason}
 * in one word. Trying again does no harm: a key may be put any number of times.
 */
public final class RedisFilterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The reason. */
  private final RedisEvent.Cause reason;

  /**
   * Makes one.
   *
   * @param reason why, in one word
   * @param message why
   */
  public RedisFilterException(RedisEvent.Cause reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** {@return why, in one word} */
  public RedisEvent.Cause reason() {
    return reason;
  }
}
