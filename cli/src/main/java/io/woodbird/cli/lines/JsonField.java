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

  /**
   * Makes one.
   *
   * @param path such as {@code .user.id}; the first dot is optional
   */
  JsonField(String path) {
    this.path = List.of((path.startsWith(".") ? path.substring(1) : path).split("\\.", -1));
  }

  @Override
  public @Nullable String pick(byte[] bytes, int from, int to, Arena key) {
    try (JsonParser parser =
        factory.createParser(ObjectReadContext.empty(), bytes, from, to - from)) {
      JsonToken token = parser.nextToken();
      for (String name : path) {
        if (token != JsonToken.START_OBJECT || !findMember(parser, name)) {
          return "it has no member ." + String.join(".", path);
        }
        token = parser.nextToken();
      }
      if (token == null || token == JsonToken.VALUE_NULL || !token.isScalarValue()) {
        return "its member ." + String.join(".", path) + " is no text, number or boolean";
      }
      byte[] text = parser.getString().getBytes(StandardCharsets.UTF_8);
      key.write(text, 0, text.length);
      return null;
    } catch (JacksonException e) {
      return "it is not JSON (" + e.getOriginalMessage() + ")";
    }
  }

  private static boolean findMember(JsonParser parser, String name) {
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      if (parser.currentName().equals(name)) {
        return true;
      }
      parser.nextToken();
      parser.skipChildren();
    }
    return false;
  }
}
