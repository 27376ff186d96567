package io.woodbird.guard;

/**
 * The filter could not tell, and as many look-ups as the bulkhead allows are already on their way.
 * Nothing is known about the key.
 */
public final class GuardOverloadedException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param message why the filter could not tell, and how many look-ups are running
   */
  public GuardOverloadedException(String message) {
    super(message);
  }
}
