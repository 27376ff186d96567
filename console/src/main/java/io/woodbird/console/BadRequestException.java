package io.woodbird.console;

import io.woodbird.console.shared.Amounts;
import java.util.Map;

/**
 * A request that can't be answered. The page says why in its own language, by the code and the
 * values; the message is for those who have no words for the code.
 */
final class BadRequestException extends Exception {
  private static final long serialVersionUID = 1;
  private static final int MAX_SHOWN = 40;

  private final String code;
  private final transient Map<String, String> values;

  BadRequestException(String code, Map<String, String> values, String message) {
    super(message);
    this.code = code;
    this.values = values;
  }

  BadRequestException(String code, String message) {
    this(code, Map.of(), message);
  }

  /** Names the kind of problem; the page has a text for each. */
  String code() {
    return code;
  }

  /** What stands in the text. */
  Map<String, String> values() {
    return values;
  }

  /** Refuses a number that can't be read. */
  static BadRequestException number(String name, String text) {
    String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
    String unit = Amounts.halfUnit(text);
    return new BadRequestException(
        unit == null ? "number." + name : "unit",
        Map.of("text", shown, "unit", unit == null ? "" : unit),
        name
            + " can't be read as a number: "
            + shown
            + (unit == null ? "" : "; is that " + unit + "B or " + unit + "iB?"));
  }
}
