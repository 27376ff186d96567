package io.woodbird.spring;

/** The configuration of a guard, or an annotation that names it, is wrong. */
public final class GuardConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String action;

  /**
   * Makes one.
   *
   * @param description what is wrong
   * @param action what to do
   */
  public GuardConfigurationException(String description, String action) {
    super(description + " " + action);
    this.action = action;
  }

  /** What is wrong. */
  String description() {
    String message = String.valueOf(getMessage());
    return message.substring(0, message.length() - action.length() - 1);
  }

  /** What to do. */
  String action() {
    return action;
  }
}
