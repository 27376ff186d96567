package io.woodbird.console;

import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes maps, lists, arrays of doubles, text, numbers and booleans as JSON. */
final class Json {
  private Json() {}

  static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    if (value == null || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Double number) {
      // JSON has no infinity and no NaN.
      out.append(Double.isFinite(number) ? number.toString() : "null");
    } else if (value instanceof Number) {
      out.append(value);
    } else if (value instanceof Map<?, ?> map) {
      appendMap(out, map);
    } else if (value instanceof Iterable<?> list) {
      appendAll(out, list.iterator());
    } else if (value instanceof double[] numbers) {
      appendAll(out, java.util.Arrays.stream(numbers).iterator());
    } else {
      appendText(out, value.toString());
    }
  }

  private static void appendMap(StringBuilder out, Map<?, ?> map) {
    out.append('{');
    String separator = "";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      out.append(separator);
      appendText(out, String.valueOf(entry.getKey()));
      out.append(':');
      append(out, entry.getValue());
      separator = ",";
    }
    out.append('}');
  }

  private static void appendAll(StringBuilder out, Iterator<?> values) {
    out.append('[');
    String separator = "";
    while (values.hasNext()) {
      out.append(separator);
      append(out, values.next());
      separator = ",";
    }
    out.append(']');
  }

  /** Everything outside of printable ASCII, and what means something to HTML, is escaped. */
  private static void appendText(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char unit = text.charAt(i);
      if (unit == '"' || unit == '\\') {
        out.append('\\').append(unit);
      } else if (unit < ' ' || unit > '~' || unit == '<' || unit == '>' || unit == '&') {
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
          out.append(Character.forDigit(unit >> shift & 15, 16));
        }
      } else {
        out.append(unit);
      }
    }
    out.append('"');
  }
}
