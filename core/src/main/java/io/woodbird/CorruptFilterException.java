package io.woodbird;

import java.io.IOException;

/** Bytes that are damaged, cut short, or never were a filter. The message says what and where. */
public final class CorruptFilterException extends IOException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param message what is wrong, and where
   */
  public CorruptFilterException(String message) {
    super(message);
  }
}
