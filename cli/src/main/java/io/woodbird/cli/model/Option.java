package io.woodbird.cli.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An option of a verb.
 *
 * @param name the long name without dashes
 * @param letter the short name, or 0
 * @param value what its value is called, or null if it takes none
 * @param help what it does, without a full stop
 * @param choices the values it takes, or none if any
 * @param takesFile whether its value is a file, for completion
 */
public record Option(
    String name,
    char letter,
    @Nullable String value,
    String help,
    List<String> choices,
    boolean takesFile) {
  /** An option without a value. */
  public static Option flag(String name, String help) {
    return new Option(name, (char) 0, null, help, List.of(), false);
  }

  /** An option with a value. */
  public static Option value(String name, String value, String help) {
    return new Option(name, (char) 0, value, help, List.of(), false);
  }

  /** An option whose value is a file. */
  public static Option file(String name, String help) {
    return new Option(name, (char) 0, "FILE", help, List.of(), true);
  }

  /** The same with a short name. */
  public Option letter(char shortName) {
    return new Option(name, shortName, value, help, choices, takesFile);
  }

  /** The same with all the values it takes. */
  public Option choices(String... all) {
    return new Option(name, letter, value, help, List.of(all), takesFile);
  }

  /** As it is written in help: {@code -p, --fpp P}. */
  String form() {
    return (letter == 0 ? "" : "-" + letter + ", ")
        + "--"
        + name
        + (value == null ? "" : " " + value);
  }
}
