package io.woodbird;

import java.io.IOException;
import java.util.Objects;

/**
 * A file is not signed, is signed by a key that the program does not trust, or was changed after it
 * was signed. Thrown by {@link SignedFilters}.
 */
public final class UntrustedFilterException extends IOException {
  private static final long serialVersionUID = 1;

  /** Why a file is not trusted. */
  public enum Reason {
    /** Nobody signed it. */
    UNSIGNED,
    /** Another key signed it. */
    FOREIGN,
    /** It was changed after it was signed. */
    ALTERED
  }

  /** Why the file is not trusted. */
  private final Reason reason;

  /**
   * Makes one.
   *
   * @param reason why it is not trusted
   * @param message the same in words, with the keys
   */
  public UntrustedFilterException(Reason reason, String message) {
    super(message);
    this.reason = Objects.requireNonNull(reason, "reason");
  }

  /** {@return why the file is not trusted} */
  public Reason reason() {
    return reason;
  }
}
