package io.woodbird;

/** A filter of fixed capacity has no room for another key. Nothing was changed. */
public final class FilterFullException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param message how full, and what to do
   */
  public FilterFullException(String message) {
    super(message);
  }
}
