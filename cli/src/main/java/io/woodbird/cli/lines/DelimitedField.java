package io.woodbird.cli.lines;

import io.woodbird.cli.say.Failure;
import io.woodbird.cli.say.Problem;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A field of a CSV or TSV record. */
final class DelimitedField implements FieldPick {
  private final byte separator;
  private final boolean quotes;
  private int index;

  /**
   * Makes one.
   *
   * @param index from 0 on
   */
  DelimitedField(char separator, boolean quotes, int index) {
    this.separator = (byte) separator;
    this.quotes = quotes;
    this.index = index;
  }

  /** Looks a field up by its name in the first line. */
  void find(String name, String source, byte[] bytes, int from, int to) {
    List<String> names = new ArrayList<>();
    while (true) {
      Arena field = new Arena();
      index = names.size();
      if (pick(bytes, from, to, field) != null) {
        break;
      }
      String found = field.toString(StandardCharsets.UTF_8);
      if (found.equals(name)) {
        return;
      }
      names.add(found);
    }
    throw new Failure(
        Problem.NO_FIELD,
        source + ": the first line has no field \"" + name + "\".",
        "Its fields are: " + String.join(", ", names),
        "--field N (the number of the field; then the first line is a record too)");
  }

  @Override
  public @Nullable String pick(byte[] bytes, int from, int to, Arena key) {
    int end = to > from && bytes[to - 1] == '\r' ? to - 1 : to;
    int at = from;
    for (int field = 0; ; field++) {
      boolean wanted = field == index;
      if (quotes && at < end && bytes[at] == '"') {
        at = quoted(bytes, at + 1, end, wanted ? key : null);
      } else {
        int start = at;
        while (at < end && bytes[at] != separator) {
          at++;
        }
        if (wanted) {
          key.write(bytes, start, at - start);
        }
      }
      if (wanted) {
        return null;
      }
      if (at >= end) {
        return "it has " + (field + 1) + " fields, and field " + (index + 1) + " is asked for";
      }
      at++;
    }
  }

  /** Reads on from behind a quotation mark to the separator or the end. */
  private int quoted(byte[] bytes, int from, int end, @Nullable Arena key) {
    int at = from;
    boolean inside = true;
    while (at < end && (inside || bytes[at] != separator)) {
      boolean mark = bytes[at] == '"';
      boolean doubled = mark && inside && at + 1 < end && bytes[at + 1] == '"';
      if (key != null && (!mark || doubled)) {
        key.write(bytes[at]);
      }
      inside = doubled || inside != mark;
      at += doubled ? 2 : 1;
    }
    return at;
  }
}
