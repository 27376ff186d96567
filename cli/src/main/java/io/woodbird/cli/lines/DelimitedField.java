package io.woodbird.cli.lines;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import io.woodbird.cli.say.Units;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A field of a CSV or TSV record. */
final class DelimitedField implements FieldPick {
  private final byte separator;
  private final boolean quotes;
  private final boolean lines;
  private int index;

  /**
   * Makes one.
   *
   * @param lines whether a record ends in LF, so that a CR before it is no part of the last field
   * @param index from 0 on
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
    for (index = 0; pick(bytes, from, to, field) == null; index++) {
      names.add(field.toString(StandardCharsets.UTF_8));
      field.reset();
    }
    index = names.indexOf(name);
    if (index < 0 || index != names.lastIndexOf(name)) {
      throw new Failure(
          Problem.NO_FIELD,
          source
              + ": the first line has "
              + (index < 0 ? "no field \"" + name + "\"." : "two fields \"" + name + "\"."),
          "Its fields are: " + String.join(", ", names),
          "--field N (the number of the field; then the first line is a record too)");
    }
  }

  @Override
  public @Nullable String pick(byte[] bytes, int from, int to, Arena key) {
    int end = lines && to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    int at = from;
    for (int field = 0; ; field++) {
      boolean wanted = field == index;
      if (quotes && at < end && bytes[at] == '"') {
        at = quoted(bytes, at + 1, end, wanted ? key : null);
      } else {
        int next = Lines.find(bytes, at, end, separator);
        int stop = next < 0 ? end : next;
        if (wanted) {
          key.write(bytes, at, stop - at);
        }
        at = stop;
      }
      if (wanted) {
        return null;
      }
      if (at >= end) {
        return "it has "
            + Units.count(field + 1, "field")
            + ", and field "
            + (index + 1)
            + " is asked for";
      }
      at++;
    }
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
