package io.woodbird.cli.lines;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** A member of the JSON object that a line holds. */
final class JsonField implements FieldPick {
  private final JsonFactory factory = new JsonFactory();
  private final List<String> path;

  /** Makes one for a path such as {@code .user.id}; the first dot is optional. */
  JsonField(String path) {
    this.path = List.of((path.startsWith(".") ? path.substring(1) : path).split("\\.", -1));
  }

  @Override
  public @Nullable String pick(byte[] bytes, int from, int to, Arena key) {
    try (JsonParser parser =
        factory.createParser(ObjectReadContext.empty(), bytes, from, to - from)) {
      String wrong = pick(parser, parser.nextToken(), 0, key);
      // To the end: two objects in a line, as of two files without a line end between them, have
      // two keys, and the second would be lost.
      if (wrong == null && parser.nextToken() != null) {
        return "more follows behind its JSON object";
      }
      return wrong;
    } catch (JacksonException e) {
      return "it is not JSON (" + e.getOriginalMessage() + ")";
    }
  }

  /** Takes the member from a value that is {@code depth} names deep, and reads the value's rest. */
  private @Nullable String pick(
      JsonParser parser, @Nullable JsonToken token, int depth, Arena key) {
    if (depth == path.size()) {
      if (token == null || token == JsonToken.VALUE_NULL || !token.isScalarValue()) {
        return "its member " + shownPath() + " is no text, number or boolean";
      }
      String text = parser.getString();
      if (hasHalfPair(text)) {
        return "its member " + shownPath() + " has half of a surrogate pair, which is no text";
      }
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      key.write(bytes, 0, bytes.length);
      return null;
    }
    boolean found = false;
    while (token == JsonToken.START_OBJECT && parser.nextToken() == JsonToken.PROPERTY_NAME) {
      boolean wanted = parser.currentName().equals(path.get(depth));
      if (wanted && found) {
        return "it has a member of %s twice".formatted(shownPath()); // Readers take either.
      }
      JsonToken value = parser.nextToken();
      if (wanted) {
        String wrong = pick(parser, value, depth + 1, key);
        if (wrong != null) {
          return wrong;
        }
        found = true;
      } else {
        parser.skipChildren();
      }
    }
    return found ? null : "it has no member " + shownPath();
  }

  /** Whether a text has a character without UTF-8 form: Java writes a "?", for each the same. */
  private static boolean hasHalfPair(String text) {
    for (int i = 0; i < text.length(); i += Character.charCount(text.codePointAt(i))) {
      int code = text.codePointAt(i);
      if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
        return true;
      }
    }
    return false;
  }

  private String shownPath() {
    return "." + String.join(".", path);
  }
}
