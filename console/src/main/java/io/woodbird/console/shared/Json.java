package io.woodbird.console.shared;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A JSON object whose members keep the order they were put in, and the writer of all JSON. */
public final class Json {
  private final Map<String, @Nullable Object> members = new LinkedHashMap<>();

  /**
   * Begins the report of a verb.
   *
   * @param schema what the members mean, such as {@code "woodbird.info/1"}; the number rises when a
   *     member is removed or changes its meaning, not when one is added
   * @return the object, with its first member
   */
  public static Json report(String schema) {
    return new Json().put("schema", schema);
  }

  /**
   * Adds a member.
   *
   * @param name its name
   * @param value what {@link #write} can write
   * @return this
   */
  public Json put(String name, @Nullable Object value) {
    members.put(name, value);
    return this;
  }

  /** Returns the object in one line. */
  @Override
  public String toString() {
    return write(this);
  }

  /**
   * Writes a value in one line.
   *
   * @param value a text, number, boolean, {@link Json}, map, list or array of doubles of these, or
   *     null
   * @return the JSON; what is no finite number is null
   */
  public static String write(@Nullable Object value) {
    StringBuilder out = new StringBuilder();
    append(out, value);
    return out.toString();
  }

  private static void append(StringBuilder out, @Nullable Object value) {
    if (value instanceof Double number && !Double.isFinite(number)) {
      out.append("null");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      out.append(value);
    } else if (value instanceof Json json) {
      append(out, json.members);
    } else if (value instanceof Map<?, ?> map) {
      String before = "{";
      for (Map.Entry<?, ?> member : map.entrySet()) {
        out.append(before);
        appendText(out, String.valueOf(member.getKey()));
        out.append(':');
        append(out, member.getValue());
        before = ",";
      }
      out.append(map.isEmpty() ? "{}" : "}");
    } else if (value instanceof Iterable<?> list) {
      out.append('[');
      String before = "";
      for (Object element : list) {
        append(out.append(before), element);
        before = ",";
      }
      out.append(']');
    } else if (value instanceof double[] numbers) {
      append(out, Arrays.stream(numbers).boxed().toList());
    } else {
      appendText(out, value.toString());
    }
  }

  /** Escapes controls, halves of characters, and what means something to HTML. */
  private static void appendText(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append((char) c);
      } else if (c < ' ' || c == 0x7f || c == '<' || c == '>' || c == '&' || isSurrogate(c)) {
        out.append("\\u").append(Integer.toHexString(0x10000 | c), 1, 5);
      } else {
        out.appendCodePoint(c);
      }
      i += Character.charCount(c);
    }
    out.append('"');
  }

  private static boolean isSurrogate(int c) {
    return c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE;
  }
}
