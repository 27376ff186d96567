package io.woodbird.cli.say;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One JSON object, its members in the order they were put. */
public final class Json {
  private final Map<String, @Nullable Object> members = new LinkedHashMap<>();

  /**
   * Begins the report of a verb.
   *
   * @param schema what the members mean, such as {@code "woodbird.info/1"}; the number rises when
   *     one is removed or changes its meaning, not when one is added
   */
  public static Json report(String schema) {
    return new Json().put("schema", schema);
  }

  /**
   * Adds a member.
   *
   * @param value a text, number, boolean, {@link Json}, list of these, or null
   * @return this
   */
  public Json put(String name, @Nullable Object value) {
    members.put(name, value);
    return this;
  }

  /** Says the object in one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    append(text, this);
    return text.toString();
  }

  private static void append(StringBuilder text, @Nullable Object value) {
    if (value instanceof Json json) {
      text.append('{');
      String comma = "";
      for (Map.Entry<String, @Nullable Object> member : json.members.entrySet()) {
        text.append(comma);
        quote(text, member.getKey());
        text.append(':');
        append(text, member.getValue());
        comma = ",";
      }
      text.append('}');
    } else if (value instanceof List<?> list) {
      text.append('[');
      for (Iterator<?> rest = list.iterator(); rest.hasNext(); ) {
        append(text, rest.next());
        text.append(rest.hasNext() ? "," : "");
      }
      text.append(']');
    } else if (value instanceof Double number && (number.isNaN() || number.isInfinite())) {
      text.append("null");
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else {
      quote(text, value.toString());
    }
  }

  private static void quote(StringBuilder text, String value) {
    text.append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < 0x20 || c == 0x7f || (Character.isSurrogate(c) && !paired(value, i))) {
        text.append("\\u");
        String hex = "000" + Integer.toHexString(c);
        text.append(hex, hex.length() - 4, hex.length());
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }

  private static boolean paired(String value, int at) {
    return Character.isHighSurrogate(value.charAt(at))
        ? at + 1 < value.length() && Character.isLowSurrogate(value.charAt(at + 1))
        : at > 0 && Character.isHighSurrogate(value.charAt(at - 1));
  }
}
