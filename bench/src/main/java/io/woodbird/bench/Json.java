package io.woodbird.bench;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** JSON text of maps, lists, Strings, numbers and booleans. */
final class Json {
  private Json() {}

  static String of(Object value) {
    StringBuilder out = new StringBuilder();
    write(value, "", out);
    return out.append('\n').toString();
  }

  private static void write(Object value, String indent, StringBuilder out) {
    String deeper = indent + "  ";
    if (value instanceof Map<?, ?> map) {
      String separator = "{\n";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.append(separator).append(deeper).append(quoted(entry.getKey().toString())).append(": ");
        write(entry.getValue(), deeper, out);
        separator = ",\n";
      }
      out.append(map.isEmpty() ? "{}" : "\n" + indent + "}");
    } else if (value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map) {
      String separator = "[\n";
      for (Object element : list) {
        out.append(separator).append(deeper);
        out.append(line(element)); // one line per row: easy to read, and to compare
        separator = ",\n";
      }
      out.append("\n").append(indent).append("]");
    } else {
      out.append(line(value));
    }
  }

  private static String line(Object value) {
    if (value instanceof Map<?, ?> map) {
      return map.entrySet().stream()
          .map(entry -> quoted(entry.getKey().toString()) + ": " + line(entry.getValue()))
          .collect(Collectors.joining(", ", "{", "}"));
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Json::line).collect(Collectors.joining(", ", "[", "]"));
    }
    return scalar(value);
  }

  /** Keeps five digits of a number, more would only pretend; whole numbers stay as they are. */
  static double rounded(double value) {
    return Double.isFinite(value) && value != Math.rint(value)
        ? new BigDecimal(value).round(new MathContext(5)).doubleValue()
        : value;
  }

  private static String scalar(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      return "null"; // JSON has no NaN.
    }
    if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < 1e15) {
      return String.valueOf(number.longValue());
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : quoted(value.toString());
  }

  private static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
