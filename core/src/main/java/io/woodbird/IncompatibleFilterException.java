package io.woodbird;

/**
 * Two things that do not fit: filters of unequal shape, a file and a key encoding, a file of
 * another version. The message shows both. Nothing was changed.
 */
public final class IncompatibleFilterException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param message the two, side by side
   */
  public IncompatibleFilterException(String message) {
    super(message);
  }
}
