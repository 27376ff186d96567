package io.woodbird.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

/** Reads Debezium's change events in JSON, in the shapes that Kafka Connect gives them. */
final class EventReader {
  /*
   * A value is one of these, or null (a tombstone):
   *
   *   {"before": {...}, "after": {"id": 5, ...}, "source": {...}, "op": "c", ...}   an envelope
   *   {"id": 5, ..., "__deleted": "false"}                                          a row
   *
   * With schemas.enable, either is the "payload" of {"schema": {...}, "payload": ...}. A key is
   * {"id": 5}; after a transformation that takes the field out, it is 5.
   */
  private static final Set<String> WITH_SCHEMA = Set.of("schema", "payload");
  private static final String AFTER = "after";
  private static final List<Object> SKIPPED = List.of();

  private final JsonFactory factory = new JsonFactory();
  private final String field;

  EventReader(String field) {
    this.field = field;
  }

  /**
   * Reads a record.
   *
   * @throws RuntimeException if it is no such event; the message says why
   */
  Event read(byte @Nullable [] key, byte @Nullable [] value) {
    Object content = value == null ? null : parse(value);
    if (content == null) {
      return Event.of(Event.Kind.TOMBSTONE);
    }
    if (!(content instanceof Map<?, ?> members)) {
      throw new IllegalArgumentException("its value is no JSON object");
    }
    if (isEnvelope(members)) {
      return switch (String.valueOf(members.get("op"))) {
        case "c", "u", "r" -> Event.present(keyOf(members.get(AFTER), key));
        case "d" -> Event.of(Event.Kind.DELETED);
        case "t" -> Event.of(Event.Kind.TRUNCATED);
        default -> Event.of(Event.Kind.OTHER);
      };
    }
    return "true".equals(members.get("__deleted")) || "d".equals(members.get("__op"))
        ? Event.of(Event.Kind.DELETED)
        : Event.present(keyOf(members, key));
  }

  private static boolean isEnvelope(Map<?, ?> members) {
    Object after = members.get(AFTER);
    return members.get("op") != null
        && members.containsKey(AFTER)
        && (after == null || after instanceof Map);
  }

  /** The field of the new row; where the row does not have it, that of the record's key. */
  private String keyOf(@Nullable Object row, byte @Nullable [] key) {
    String found = row instanceof Map<?, ?> members ? text(members.get(field)) : null;
    if (found == null && key != null) {
      Object content = parse(key);
      found = text(content instanceof Map<?, ?> members ? members.get(field) : content);
    }
    if (found == null) {
      throw new IllegalArgumentException("neither its row nor its key has a " + field);
    }
    return found;
  }

  private static @Nullable String text(@Nullable Object value) {
    return value instanceof String text ? text : null;
  }

  /** A map for an object, the text of a string, number or boolean, null, or {@link #SKIPPED}. */
  private @Nullable Object parse(byte[] json) {
    try (JsonParser parser =
        factory.createParser(ObjectReadContext.empty(), json, 0, json.length)) {
      Object value = value(parser, parser.nextToken(), true);
      return value instanceof Map<?, ?> members && members.keySet().equals(WITH_SCHEMA)
          ? members.get("payload")
          : value;
    }
  }

  private static @Nullable Object value(
      JsonParser parser, @Nullable JsonToken token, boolean isNeeded) {
    if (token == null) {
      throw new IllegalArgumentException("it is empty");
    }
    if (token == JsonToken.START_OBJECT && isNeeded) {
      Map<String, @Nullable Object> members = new HashMap<>();
      while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = parser.currentName();
        // Others are skipped: a schema is often larger than the rest.
        boolean isInner = name.equals(AFTER) || name.equals("payload");
        members.put(name, value(parser, parser.nextToken(), isInner));
      }
      return members;
    }
    if (token.isScalarValue()) {
      return token == JsonToken.VALUE_NULL ? null : parser.getString();
    }
    parser.skipChildren();
    return SKIPPED;
  }
}
