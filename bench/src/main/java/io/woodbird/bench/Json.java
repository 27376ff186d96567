package io.woodbird.bench;

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
        write(element, deeper, out);
        separator = ",\n";
      }
      out.append("\n").append(indent).append("]");
    } else if (value instanceof List<?> list) {
      out.append(list.stream().map(Json::scalar).collect(Collectors.joining(", ", "[", "]")));
    } else {
      out.append(scalar(value));
    }
  }

  private static String scalar(Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      return "null"; // JSON has no NaN.
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
