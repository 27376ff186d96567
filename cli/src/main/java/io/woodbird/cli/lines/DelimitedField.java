package io.woodbird.cli.lines;

import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A field of a CSV or TSV record. */
final class DelimitedField implements FieldPick {
  /** A message shows this many names of fields. */
  private static final int MOST_SHOWN = 20;

  private static final int LONGEST_SHOWN = 64;

  private final byte separator;
  private final boolean quotes;
  private final boolean lines;
  private int index;

  /**
   * Makes one; {@code lines} if a record ends in LF, so that a CR before it is no part of a field.
   */
  DelimitedField(char separator, boolean quotes, boolean lines, int index) {
    this.separator = (byte) separator;
    this.quotes = quotes;
    this.lines = lines;
    this.index = index;
  }

  /** Looks a field up by its name in the first line. */
  void find(String name, String source, byte[] bytes, int from, int to) {
    List<String> names = new ArrayList<>();
    Arena field = new Arena();
    int end = end(bytes, from, to);
    index = -1;
    boolean twice = false;
    int number = 0;
    for (int at = from; at <= end; at++, number++) {
      field.reset();
      at = read(bytes, at, end, field);
      String found = field.toString(StandardCharsets.UTF_8);
      if (number < MOST_SHOWN) {
        names.add(shown(found));
      }
      if (found.equals(name)) {
        twice = index >= 0;
        index = index < 0 ? number : index;
      }
    }
    if (number > MOST_SHOWN) {
      names.add("and " + Units.count(number - MOST_SHOWN, "other"));
    }
    if (index < 0 || twice) {
      throw Problem.NO_FIELD.failure(
          "%s: the first line has %s \"%s\"."
              .formatted(source, index < 0 ? "no field" : "two fields", name),
          from == end
              ? "There is no first line, or it is empty."
              : "Its fields are: " + String.join(", ", names),
          "--field N (the number of the field; then the first line is a record too)");
    }
  }

  @Override
  public @Nullable String pick(byte[] bytes, int from, int to, Arena key) {
    int end = end(bytes, from, to);
    int at = from;
    for (int field = 0; ; field++) {
      boolean wanted = field == index;
      at = read(bytes, at, end, wanted ? key : null);
      if (wanted) {
        return null;
      }
      if (at >= end) {
        return "it has %s, and field %s is asked for"
            .formatted(Units.count(field + 1, "field"), index + 1);
      }
      at++;
    }
  }

  /** A short name, with a question mark for each character that a terminal may not show. */
  private static String shown(String name) {
    String shown = name.replaceAll("\\p{C}", "?");
    return shown.length() <= LONGEST_SHOWN ? shown : shown.substring(0, LONGEST_SHOWN) + "...";
  }

  private int end(byte[] bytes, int from, int to) {
    return lines && to > from && bytes[to - 1] == '\r' ? to - 1 : to;
  }

  /** Reads a field, and returns where it ends. */
  private int read(byte[] bytes, int from, int end, @Nullable Arena key) {
    if (quotes && from < end && bytes[from] == '"') {
      return quoted(bytes, from + 1, end, key);
    }
    int next = Lines.find(bytes, from, end, separator);
    int stop = next < 0 ? end : next;
    if (key != null) {
      key.write(bytes, from, stop - from);
    }
    return stop;
  }

  /** Reads a quoted field from behind its first mark, and returns where it ends. */
  private static int quoted(byte[] bytes, int from, int end, @Nullable Arena key) {
    int at = from;
    while (true) {
      int mark = Lines.find(bytes, at, end, (byte) '"'); // There is one: CsvQuotes looked.
      boolean doubled = mark + 1 < end && bytes[mark + 1] == '"';
      if (key != null) {
        key.write(bytes, at, (doubled ? mark + 1 : mark) - at);
      }
      if (!doubled) {
        return mark + 1;
      }
      at = mark + 2;
    }
  }
}
