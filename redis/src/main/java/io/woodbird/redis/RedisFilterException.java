package io.woodbird.redis;

import java.util.Objects;

/**
 * A put, or another change, that is not known to be done. The message says why, and {@link #reason}
 * in one word. To put again does no harm. To remove again may: the first call may have been done,
 * and the second would then take away a key that shares its counters.
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
