package io.woodbird.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads what {@link Json} writes: maps, lists, Strings, Doubles, Booleans, and NaN for null. */
final class JsonReader {
  private final String text;
  private int at;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * Reads a value.
   *
   * @throws IllegalArgumentException if the text is not JSON
   */
  static Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.skipSpace();
    if (reader.at != text.length()) {
      throw reader.wrong("the end");
    }
    return value;
  }

  private Object value() {
    char next = peek();
    if (next == '{') {
      return map();
    }
    if (next == '[') {
      return list();
    }
    return next == '"' ? string() : literal();
  }

  private Map<String, Object> map() {
    Map<String, Object> map = new LinkedHashMap<>();
    expect('{');
    while (peek() != '}') {
      String key = string();
      expect(':');
      map.put(key, value());
      if (peek() != '}') {
        expect(',');
      }
    }
    expect('}');
    return map;
  }

  private List<Object> list() {
    List<Object> list = new ArrayList<>();
    expect('[');
    while (peek() != ']') {
      list.add(value());
      if (peek() != ']') {
        expect(',');
      }
    }
    expect(']');
    return list;
  }

  private String string() {
    StringBuilder out = new StringBuilder();
    expect('"');
    while (at < text.length() && text.charAt(at) != '"') {
      char c = text.charAt(at++);
      if (c == '\\' && at < text.length()) {
        c = text.charAt(at++);
        if (c == 'u') {
          c = (char) Integer.parseInt(text.substring(at, at + 4), 16);
          at += 4;
        } else {
          c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
      }
      out.append(c);
    }
    expect('"');
    return out.toString();
  }

  private Object literal() {
    int start = at;
    while (at < text.length() && ",]} \n\r\t".indexOf(text.charAt(at)) < 0) {
      at++;
    }
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> Double.NaN;
      case "" -> throw wrong("a value");
      default -> Double.valueOf(word);
    };
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
  }

  private char peek() {
    skipSpace();
    if (at == text.length()) {
      throw wrong("more");
    }
    return text.charAt(at);
  }

  private void expect(char wanted) {
    if (peek() != wanted) {
      throw wrong("'" + wanted + "'");
    }
    at++;
  }

  private IllegalArgumentException wrong(String wanted) {
    return new IllegalArgumentException("JSON: " + wanted + " expected at character " + at);
  }
}
