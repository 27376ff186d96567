package io.woodbird.console;

/** Something in a request that can't be answered; the message is for the person at the page. */
final class BadRequestException extends Exception {
  private static final long serialVersionUID = 1;

  BadRequestException(String message) {
    super(message);
  }
}
