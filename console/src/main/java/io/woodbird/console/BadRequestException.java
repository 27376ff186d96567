package io.woodbird.console;

import io.woodbird.console.shared.Amounts;

/** A request that can't be answered; the message is shown on the page. */
final class BadRequestException extends Exception {
  private static final long serialVersionUID = 1;

  BadRequestException(String message) {
    super(message);
  }

  /** Refuses a number that can't be read. */
  static BadRequestException number(String name, String text) {
    String shown = text.length() > 40 ? text.substring(0, 40) + "..." : text;
    String unit = Amounts.halfUnit(text);
    return new BadRequestException(
        name
            + " can't be read as a number: "
            + shown
            + (unit == null ? "" : "; is that " + unit + "B or " + unit + "iB?"));
  }
}
