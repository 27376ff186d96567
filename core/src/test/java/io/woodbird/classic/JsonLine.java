package io.woodbird.classic;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One object of JSON with numbers, strings and arrays of them: what the golden vectors are made of.
 */
final class JsonLine {
  private final String text;
  private int at;

  private JsonLine(String text) {
    this.text = text;
  }

  /** Reads a line; a number becomes a Double or a Long, an array a List. */
  static Map<String, Object> parse(String line) {
    JsonLine reader = new JsonLine(line);
    Map<String, Object> fields = reader.object();
    if (reader.next() != 0) {
      throw reader.unexpected();
    }
    return fields;
  }

  private Map<String, Object> object() {
    Map<String, Object> fields = new LinkedHashMap<>();
    take('{');
    do {
      String name = string();
      take(':');
      fields.put(name, value());
    } while (taken(','));
    take('}');
    return fields;
  }

  private Object value() {
    return switch (next()) {
      case '"' -> string();
      case '[' -> array();
      case 'n' -> none();
      default -> number();
    };
  }

  private List<Object> array() {
    List<Object> values = new ArrayList<>();
    take('[');
    do {
      values.add(value());
    } while (taken(','));
    take(']');
    return values;
  }

  /** Takes null, with which Go prints an empty list. */
  private List<Object> none() {
    at += "null".length();
    return List.of();
  }

  private Object number() {
    next();
    int from = at;
    while ("+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String digits = text.substring(from, at);
    return digits.matches("-?\\d+") ? (Object) Long.valueOf(digits) : Double.valueOf(digits);
  }

  private String string() {
    StringBuilder value = new StringBuilder();
    take('"');
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      value.append(c == '\\' ? escaped() : c);
    }
    take('"');
    return value.toString();
  }

  private char escaped() {
    char c = text.charAt(at++);
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'u':
        at += 4;
        return (char) Integer.parseInt(text.substring(at - 4, at), 16);
      default:
        return c;
    }
  }

  private void take(char expected) {
    if (!taken(expected)) {
      throw unexpected();
    }
  }

  private boolean taken(char expected) {
    boolean there = next() == expected;
    at += there ? 1 : 0;
    return there;
  }

  /** The next char that is no blank, or 0 at the end. */
  private char next() {
    while (at < text.length() && text.charAt(at) == ' ') {
      at++;
    }
    return at < text.length() ? text.charAt(at) : 0;
  }

  private IllegalArgumentException unexpected() {
    return new IllegalArgumentException("no JSON line of ours at char " + at + ": " + text);
  }
}
